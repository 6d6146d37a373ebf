import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { followSources, type SourceFollower } from '../../../../api-server/ingestion/follow-sources.ts';
import type { LedgerCounts } from '../../../../api-server/ingestion/source-activity.ts';
import type { SourceFeed } from '../../../../api-server/ingestion/source-feed.ts';
import { SourceTraffic } from '../../../../api-server/ingestion/source-traffic.ts';
import type { SignalSource } from '../../../../api-server/ingestion/source.ts';
import { member } from '../../../../core/json/members.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import type { OrbSignalSourceSpec } from '../../../../crds/orbsignalsource.ts';
import { anObjectStore, type AnObjectStore } from '../../../support/an-object-store.ts';
import { recordLog, recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { BROKEN_SPEC, GRAFANA_SPEC, unreadSources } from '../../../support/signal-sources.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { untilTrue } from '../../../support/wait-for.ts';

const never = new AbortController().signal;

/** A process that follows the sources of a store. */
interface Followed {
  readonly sources: SourceFeed;
  readonly follower: SourceFollower;
  readonly traffic: SourceTraffic;
  readonly stop: () => Promise<void>;
}

describe('signal sources of a cluster', () => {
  let fixture: SqliteFixture;
  let store: AnObjectStore;
  let running: Followed[];
  let counts: readonly LedgerCounts[];

  beforeEach(async () => {
    fixture = await openSqliteFixture();
    store = await anObjectStore();
    running = [];
    counts = [];
  });
  afterEach(async () => {
    for (const { stop } of running) await stop();
    await fixture.dispose();
  });

  async function start(
    ledger: Parameters<typeof unreadSources>[0],
    canary = 'orb-system/orb-canary',
  ): Promise<Followed> {
    const sources = await unreadSources(ledger);
    const traffic = new SourceTraffic();
    const follower = followSources({
      sources,
      traffic,
      canary,
      counts: () => Promise.resolve(counts),
      clock: store.clock,
      logger: recordLog().logger,
      client: store.client,
      metrics: recordMetrics().metrics,
      reflect: store.reflect,
      reflectSecrets: (about) => store.reflect({ ...about, kind: KINDS.secret }),
      mayWatchNamespaces: true,
      random: () => 0.5,
      lease: { assertLeading: () => undefined },
    });
    const stopping = new AbortController();
    const { signal } = stopping;
    const parts = [follower.reflector.run(signal), follower.run(signal), follower.lead(signal)];
    const stop = async (): Promise<void> => {
      stopping.abort();
      await Promise.all(parts);
    };
    const followed = { sources, follower, traffic, stop };
    running.push(followed);
    return followed;
  }
  async function follow(): Promise<Followed> {
    const followed = await start(await fixture.current());
    await untilTrue('every source is read', followed.follower.isRead);
    return followed;
  }
  const apply = (spec: OrbSignalSourceSpec, name = 'grafana'): Promise<KubeObject> => {
    const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata: { name, namespace: 'acme' } };
    return store.client.apply(KINDS.orbsignalsource, { ...object, spec }, { fieldManager: 'test', force: true }, never);
  };
  const secret = (texts: Readonly<Record<string, string>>): Promise<KubeObject> => {
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hook', namespace: 'acme' }, data };
    return store.client.apply(KINDS.secret, object, { fieldManager: 'test', force: true }, never);
  };
  const stored = (): Promise<KubeObject | undefined> =>
    store.client.get(KINDS.orbsignalsource, { namespace: 'acme', name: 'grafana' }, never);
  const remove = async (): Promise<void> => {
    const uid = (await stored())?.metadata.uid ?? '';
    await store.client.delete(KINDS.orbsignalsource, { namespace: 'acme', name: 'grafana' }, { uid }, never);
  };
  const source = ({ sources }: Followed): SignalSource | undefined => sources.index.byName('acme', 'grafana');
  /** Values of the secrets, or what is wrong. */
  const secrets = (followed: Followed): string => {
    const found = source(followed)?.secrets;
    if (found === undefined) return 'no source';
    if (found.kind === 'unreadable') return `unreadable ${found.secret} ${found.key}`;
    return found.values.map((value) => Buffer.from(value).toString()).join(' ');
  };
  const shown = async (type: string): Promise<string> => {
    const object = await stored();
    const condition = object && conditionOf(object, type);
    return condition === undefined ? '' : `${condition.status} ${condition.reason}`;
  };
  const untilShown = (type: string, wanted: string): Promise<void> =>
    untilTrue(`${type} is ${wanted}`, async () => (await shown(type)) === wanted);

  it('receive when the process is ready, with their secrets', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const followed = await follow();
    expect(secrets(followed)).to.equal('one');
    const found = source(followed);
    expect(found).to.include({ namespace: 'acme', name: 'grafana', type: 'grafana', mode: 'Active', generation: 1 });
    expect(found?.sourceId).to.match(/^src_[0-9a-z]{26}$/);
    expect(followed.sources.index.byId(found?.sourceId ?? '')).to.equal(found);
    expect(followed.sources.index.of('acme')).to.deep.equal([found]);
    expect(followed.sources.index.of('globex')).to.deep.equal([]);
  });

  it('use a secret that was rotated', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const followed = await follow();
    await untilTrue('the secret is there', () => secrets(followed) === 'one');
    await secret({ current: 'two' });
    await untilTrue('the new one is used', () => secrets(followed) !== 'one');
    expect(secrets(followed)).to.equal('two');
  });

  it('are told apart by what is wrong with a Secret, and come back', async () => {
    await apply(GRAFANA_SPEC);
    const followed = await follow();
    await untilShown('SecretsReadable', 'False SecretNotFound');
    expect(secrets(followed)).to.equal('unreadable hook current');
    await secret({ other: 'x' });
    await untilShown('SecretsReadable', 'False SecretKeyMissing');
    await secret({ current: '\n' });
    await untilShown('SecretsReadable', 'False SecretEmpty');
    await untilShown('Receiving', 'False SecretUnusable');
    await secret({ current: 'one' });
    await untilShown('SecretsReadable', 'True SecretsReadable');
    await untilShown('Receiving', 'True Receiving');
    expect(secrets(followed)).to.equal('one');
  });

  it('keep their last valid version, also after a restart', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const first = await follow();
    await untilShown('Receiving', 'True Receiving');
    const before = source(first);
    await apply(BROKEN_SPEC);
    await untilShown('Receiving', 'True LastValidVersion');
    await first.stop();
    const second = await follow();
    await untilTrue('the secret is there', () => secrets(second) === 'one');
    expect(source(second)).to.include({ sourceId: before?.sourceId, generation: 1 });
    await untilShown('Receiving', 'True LastValidVersion');
    await apply({ ...GRAFANA_SPEC, mode: 'Observe' });
    await untilTrue('the good edit receives', () => source(second)?.mode === 'Observe');
  });

  it('receive nothing when no version was ever valid', async () => {
    await apply(BROKEN_SPEC);
    const followed = await follow();
    await untilShown('Receiving', 'False NeverValid');
    expect(source(followed)).to.equal(undefined);
  });

  it('do not inherit what another object of their name had', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const first = await follow();
    await untilTrue('it is kept', async () => (await fixture.ledger.states('signal-source')).length === 1);
    await first.stop();
    await remove();
    await apply(BROKEN_SPEC);
    const second = await follow();
    await untilShown('Receiving', 'False NeverValid');
    expect(source(second)).to.equal(undefined);
    expect(await fixture.ledger.states('signal-source')).to.deep.equal([]);
  });

  it('end with their objects, also with those that were deleted while no process ran', async () => {
    await apply(GRAFANA_SPEC);
    const first = await follow();
    const id = source(first)?.sourceId ?? '';
    await remove();
    await untilTrue('it is gone', () => first.sources.index.byId(id) === undefined);
    await apply(GRAFANA_SPEC);
    await untilTrue('it is back under its id', () => first.sources.index.byId(id) !== undefined);
    await untilTrue('it is kept', async () => (await fixture.ledger.states('signal-source')).length === 1);
    await first.stop();
    await remove();
    const second = await follow();
    await untilTrue('the ledger forgets it', () => [...second.sources.keys()].length === 0);
    expect(source(second)).to.equal(undefined);
  });

  it('have a new URL with a new epoch, and the old one is gone', async () => {
    await apply(GRAFANA_SPEC);
    const followed = await follow();
    const before = source(followed)?.sourceId ?? '';
    await apply({ ...GRAFANA_SPEC, pathEpoch: 2 });
    await untilTrue('it is another one', () => source(followed)?.sourceId !== before);
    expect(followed.sources.index.byId(before)).to.equal(undefined);
  });

  it('receive although the ledger is away, and are kept when it is back', async () => {
    let isAway = true;
    const { ledger } = fixture;
    const putState: typeof ledger.putState = (...row) =>
      isAway ? Promise.reject(new Error('away')) : ledger.putState(...row);
    await apply(GRAFANA_SPEC);
    const followed = await start({ ...ledger, putState });
    await untilTrue('it receives', () => source(followed) !== undefined);
    expect(await ledger.states('signal-source')).to.deep.equal([]);
    isAway = false;
    await untilTrue('it is kept', async () => {
      await store.clock.advance(1000);
      return (await ledger.states('signal-source')).length === 1;
    });
  });

  it('show what came at most every five minutes', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const { traffic } = await follow();
    await untilShown('Receiving', 'True Receiving');
    counts = [{ source: 'acme/grafana', received: 4, dead: 1, lastAt: 1000 }];
    traffic.count('acme/grafana', 'duplicates');
    const version = (await stored())?.metadata.resourceVersion;
    await store.clock.advance(200_000);
    expect((await stored())?.metadata.resourceVersion).to.equal(version);
    await store.clock.advance(100_000);
    await untilTrue('it is shown', async () => member(statusOf((await stored()) ?? missing()), 'counts') !== undefined);
    expect(statusOf((await stored()) ?? missing())).to.deep.include({
      counts: { accepted: 4, duplicates: 1, rejected: 0, deadLetters: 1 },
      lastEventAt: '1970-01-01T00:00:01.000Z',
    });
    const written = (await stored())?.metadata.resourceVersion;
    await store.clock.advance(900_000);
    expect((await stored())?.metadata.resourceVersion).to.equal(written);
  });

  it('of the checks of the status tell no counts: an idle platform writes nothing', async () => {
    await secret({ current: 'one' });
    await apply(GRAFANA_SPEC);
    const { traffic, follower } = await start(await fixture.current(), 'acme/grafana');
    await untilTrue('every source is read', follower.isRead);
    await untilShown('Receiving', 'True Receiving');
    const version = (await stored())?.metadata.resourceVersion;
    for (let received = 1; received < 5; received += 1) {
      counts = [{ source: 'acme/grafana', received, dead: 0, lastAt: received }];
      traffic.count('acme/grafana', 'duplicates');
      await store.clock.advance(300_000);
    }
    expect((await stored())?.metadata.resourceVersion).to.equal(version);
  });
});

function missing(): never {
  throw new Error('the source is missing');
}
