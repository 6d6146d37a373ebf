import { expect } from 'chai';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import { ValidOrbs } from '../../../../adapters/catalog/valid-orbs.ts';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import { OrbFeed } from '../../../../api-server/feeds/orb-feed.ts';
import { effectiveProvider } from '../../../../core/orb/effective-provider.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../../../core/orb/compiled-orb.ts';
import { compileStored } from '../../../../core/orb/plan-manifest.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrb, manifestOf, swappable, type ObjectOptions } from '../../../support/kube-objects.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ECHO = parseOrbId('acme.echo@1.0.0');
const metrics = { setOrb: () => undefined, removeOrb: () => undefined };
const BROKEN = manifestOf({ provider: 7 });
const PIN = { provider: 'other', expires_at: '2100-01-02T00:00:00Z' };
const NOW = Date.parse('2100-01-01T00:00:00Z');
const TWO = parseOrbId('acme.two@1.0.0');

interface Started {
  readonly feed: OrbFeed;
  readonly catalog: MemoryCatalog;
  readonly valid: ValidOrbs;
  readonly running: () => CompiledOrb | undefined;
}

const generation = (number: number, options: ObjectOptions = {}): KubeObject =>
  anOrb('echo', { ...options, metadata: { generation: number, ...options.metadata } });
/** What the operator writes of a version. */
const versionOf = (orb: CompiledOrb | undefined): object => ({
  digest: orb?.digest,
  orbId: orb?.orbId,
  providers: ['main'],
});
const labelled = (number: number, tier: string, spec: unknown = manifestOf()): KubeObject =>
  generation(number, { spec, metadata: { labels: { tier } } });
const described = (text: string): ObjectOptions => ({ spec: manifestOf({ description: text }) });

const judged = (number: number, lastValid: object | undefined, name = 'echo'): KubeObject =>
  anOrb(name, {
    spec: BROKEN,
    metadata: { generation: number },
    status: { observedGeneration: number, ...(lastValid === undefined ? {} : { lastValid }) },
  });
const unseen = { digest: `sha256:${'0'.repeat(64)}`, orbId: 'acme.two@1.0.0', providers: ['main'] };
const nameOf = ({ catalog }: Started, id = ECHO): string | undefined =>
  id.ok ? catalog.orb('acme', id.value)?.name : undefined;

describe('OrbFeed (design.md §2: the last valid version keeps running)', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  afterEach(async () => {
    for (const { key } of await fixture.ledger.states('valid-orb')) await fixture.ledger.deleteState('valid-orb', key);
  });

  /** A process over the same ledger: what another one left there is found. */
  async function start(
    ledger: Pick<Ledger, 'putManifest' | 'manifest' | 'states' | 'putState' | 'deleteState'> = fixture.ledger,
  ): Promise<Started> {
    const catalog = new MemoryCatalog();
    const valid = new ValidOrbs({ catalog, ledger, metrics, allowedOrigins: [] });
    await valid.open();
    const feed = new OrbFeed({ valid, logger: recordLog().logger, compile: (orb) => compileStored(orb, []) });
    const running = (): CompiledOrb | undefined => (ECHO.ok ? catalog.orb('acme', ECHO.value)?.compiled : undefined);
    return { feed, catalog, valid, running };
  }

  it('runs a valid generation, keeps its manifest in the ledger, and compiles it once', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', generation(1));
    const first = running();
    await feed.apply('acme/echo', generation(1, { metadata: { resourceVersion: '2' }, status: { failover: {} } }));
    expect([first?.orbId, running() === first]).to.deep.equal(['acme.echo@1.0.0', true]);
    const kept = first && (await fixture.ledger.manifest('acme', first.digest));
    expect(kept).to.equal(first?.jcs);
  });

  it('takes a new pin without compiling again, and runs by it', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', generation(1, { spec: manifestOf(swappable) }));
    const before = running();
    await feed.apply('acme/echo', generation(2, { spec: { ...manifestOf(swappable), pin: PIN } }));
    const after = running();
    expect(after?.providers === before?.providers && after?.providers !== undefined).to.equal(true);
    expect(after && effectiveProvider(after, { now: NOW })).to.equal('other');
  });

  it('takes new labels over without compiling again, also beside a version that is not the newest', async () => {
    const { feed, running } = await start();
    const steps = [labelled(1, 'test'), labelled(1, 'prod'), labelled(2, 'test', BROKEN), labelled(2, 'prod', BROKEN)];
    const seen: (CompiledOrb | undefined)[] = [];
    for (const step of steps) {
      await feed.apply('acme/echo', step);
      seen.push(running());
    }
    expect(seen.map((orb) => orb?.labels['tier'])).to.deep.equal(['test', 'prod', 'test', 'prod']);
    expect(new Set(seen.map((orb) => orb?.digest)).size).to.equal(1);
    expect(new Set(seen.map((orb) => orb?.providers)).size).to.equal(1);
  });

  it('shows the swaps of what runs, with the object and the manifest that they belong to', async () => {
    const { feed, running } = await start();
    const spec = { ...manifestOf(swappable), pin: { ...PIN, actor: 'key:k1' } };
    await feed.apply('acme/echo', generation(1, { spec }));
    expect([...feed.allSwapped()]).to.deep.equal([]);
    const failover = { activeProvider: 'other', since: '2100-01-01T00:00:00.000Z', reason: 'latency', swapSeq: 1 };
    const orb = generation(1, { spec, status: { failover } });
    await feed.apply('acme/echo', orb);
    const swapped = feed.swapped('acme/echo');
    expect(swapped).to.deep.include({
      namespace: 'acme',
      uid: orb.metadata.uid,
      orbId: 'acme.echo@1.0.0',
      manifestDigest: running()?.digest,
      generation: 1,
    });
    expect([swapped?.failover.swapSeq, swapped?.pin?.provider]).to.deep.equal([1, 'other']);
    expect(swapped?.pin?.actor, 'named by nobody who asked who it is').to.equal(null);
    expect([...feed.allSwapped()]).to.deep.equal([swapped]);
    await feed.apply('acme/echo', undefined);
    expect(feed.swapped('acme/echo')).to.equal(undefined);
  });

  it('follows the status without compiling again, and publishes nothing while it says the same', async () => {
    const { feed, running } = await start();
    const spec = manifestOf(swappable);
    const written = (failover: object): KubeObject => generation(1, { spec, status: { failover } });
    await feed.apply('acme/echo', generation(1, { spec }));
    const before = running();
    const swapped = { activeProvider: 'other', since: '2100-01-01T00:00:00.000Z', reason: 'latency', swapSeq: 1 };
    await feed.apply('acme/echo', written(swapped));
    const after = running();
    expect(after && effectiveProvider(after, { now: NOW })).to.equal('other');
    expect(after?.providers === before?.providers).to.equal(true);
    await feed.apply('acme/echo', written({ ...swapped }));
    expect(running() === after).to.equal(true);
    await feed.apply(
      'acme/echo',
      generation(2, { spec: { ...spec, description: 'new' }, status: { failover: swapped } }),
    );
    const edited = running();
    expect(edited && effectiveProvider(edited, { now: NOW })).to.equal('other');
  });

  it('follows the status of an Orb whose last valid version keeps running', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', generation(1, { spec: manifestOf(swappable) }));
    await feed.apply('acme/echo', generation(2, { spec: BROKEN }));
    const failover = { activeProvider: 'other', since: '2100-01-01T00:00:00.000Z', reason: 'manual' };
    await feed.apply('acme/echo', generation(2, { spec: BROKEN, status: { failover } }));
    const orb = running();
    expect(orb && effectiveProvider(orb, { now: NOW })).to.equal('other');
  });

  it('goes on without a pin that can not be read', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', generation(1, { spec: { ...manifestOf(swappable), pin: { provider: 5 } } }));
    const orb = running();
    expect(orb && effectiveProvider(orb, { now: NOW })).to.equal('main');
  });

  it('leaves the last valid version running after a broken edit, and follows a pin beside it', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', generation(1, { spec: manifestOf(swappable) }));
    const before = running();
    await feed.apply('acme/echo', generation(2, { spec: { ...BROKEN, pin: PIN } }));
    const after = running();
    expect([after?.digest, after && effectiveProvider(after, { now: NOW })]).to.deep.equal([before?.digest, 'other']);
    await feed.apply('acme/echo', generation(3, described('good again')));
    expect(running()?.manifest.description).to.equal('good again');
  });

  it('finds the last valid version after a restart by the status', async () => {
    const first = await start();
    await first.feed.apply('acme/echo', generation(1, described('one')));
    const status = { lastValid: versionOf(first.running()) };
    await first.feed.apply('acme/echo', generation(2, described('two')));
    const second = await start();
    await second.feed.apply('acme/echo', generation(3, { spec: BROKEN, status }));
    expect(second.running()?.manifest.description).to.equal('one');
  });

  it('finds it by the ledger alone when the status names none that is kept', async () => {
    const first = await start();
    await first.feed.apply('acme/echo', generation(1, described('one')));
    const known = versionOf(first.running());
    for (const lastValid of [undefined, { ...known, digest: `sha256:${'0'.repeat(64)}` }, 7]) {
      const next = await start();
      await next.feed.apply('acme/echo', generation(2, { spec: BROKEN, status: { lastValid } }));
      expect(next.running()?.manifest.description).to.equal('one');
    }
  });

  describe('when the operator has judged the broken generation', () => {
    it('goes back to the version that the status names, as the status must not lie', async () => {
      const one = await start();
      await one.feed.apply('acme/echo', generation(1, described('one')));
      const first = versionOf(one.running());
      await one.feed.apply('acme/echo', generation(2, described('two')));
      await one.feed.apply('acme/echo', generation(3, { spec: BROKEN }));
      expect(one.running()?.manifest.description).to.equal('two');
      await one.feed.apply('acme/echo', judged(3, first));
      expect(one.running()?.manifest.description).to.equal('one');
      const again = one.running();
      await one.feed.apply('acme/echo', judged(3, first));
      expect(one.running()).to.equal(again);
    });

    it('holds the id of a version that it has never seen itself, and runs nothing under it', async () => {
      const one = await start();
      await one.feed.apply('acme/echo', generation(1));
      await one.feed.apply('acme/echo', judged(3, unseen));
      await one.feed.apply('acme/young', anOrb('young', { spec: manifestOf({ orb_id: 'acme.two@1.0.0' }) }));
      expect([nameOf(one), nameOf(one, TWO)]).to.deep.equal([undefined, 'echo']);
      expect([...one.catalog.all()].map(({ compiled }) => compiled)).to.deep.equal([undefined]);
    });

    it('runs on what the operator has missed only as long as nobody else has the id', async () => {
      const one = await start();
      await one.feed.apply('acme/echo', generation(1));
      await one.feed.apply('acme/echo', judged(2, undefined));
      expect(one.running()?.orbId).to.equal('acme.echo@1.0.0');
      const metadata = { creationTimestamp: '2026-06-01T00:00:00Z' };
      await one.feed.apply('acme/young', anOrb('young', { metadata }));
      expect(nameOf(one)).to.equal('young');
      await one.feed.apply('acme/young', undefined);
      expect(nameOf(one)).to.equal('echo');
    });
  });

  it('gives a new object of the same name nothing of the old one', async () => {
    const first = await start();
    await first.feed.apply('acme/echo', generation(1));
    const second = await start();
    await second.feed.apply('acme/echo', generation(1, { spec: BROKEN, metadata: { uid: 'another' } }));
    expect(second.running()).to.equal(undefined);
    await first.feed.apply('acme/echo', generation(1, { spec: BROKEN, metadata: { uid: 'another' } }));
    expect(first.running()).to.equal(undefined);
  });

  it('knows an Orb that never was valid, so that a run is told to wait', async () => {
    const { feed, catalog } = await start();
    await feed.apply('acme/echo', generation(1, { spec: BROKEN }));
    expect([...catalog.all()]).to.have.length(1);
    expect([...catalog.all()][0]?.compiled).to.equal(undefined);
  });

  it('keeps what to write in an Orb that is not valid, until it is', async () => {
    const { feed, catalog } = await start();
    const fault = (): string | undefined => [...catalog.all()][0]?.fault;
    await feed.apply('acme/echo', generation(1, { spec: BROKEN }));
    const reported = fault();
    expect(reported).to.match(/^spec\..* \([a-z-]+\)$/i);
    await feed.apply('acme/echo', generation(1, { spec: BROKEN, status: { observedGeneration: 1 } }));
    expect(fault()).to.equal(reported);
    await feed.apply('acme/echo', generation(2));
    expect(fault()).to.equal(undefined);
  });

  it('takes no manifest whose integers were rounded on the way', async () => {
    const { feed, running } = await start();
    await feed.apply('acme/echo', { ...generation(1), unsafeIntegers: ['/spec/execution/slo_ms'] });
    expect(running()).to.equal(undefined);
    await feed.apply('acme/echo', { ...generation(2), unsafeIntegers: ['/status/observedGeneration'] });
    expect(running()?.orbId).to.equal('acme.echo@1.0.0');
  });

  it('forgets a deleted Orb, also one that was deleted while nobody looked', async () => {
    const first = await start();
    await first.feed.apply('acme/echo', generation(1));
    await first.feed.apply('acme/echo', undefined);
    expect([first.running(), [...first.valid.lastValid.keys()]]).to.deep.equal([undefined, []]);
    await first.feed.apply('acme/echo', generation(1));
    const second = await start();
    expect([...second.valid.lastValid.keys()]).to.deep.equal(['acme/echo']);
    await second.feed.apply('acme/echo', undefined);
    expect(await fixture.ledger.states('valid-orb')).to.deep.equal([]);
  });

  it('survives any shape that was stored before there was a schema', async () => {
    const { feed, catalog } = await start();
    const shapes: readonly unknown[] = [undefined, null, 7, 'x', [], {}, { orb_id: 7 }, { orb_id: 'acme.echo@1.0.0' }];
    let number = 0;
    for (const spec of shapes) await feed.apply('acme/echo', generation((number += 1), { spec, status: spec }));
    expect([...catalog.all()].every(({ compiled }) => compiled === undefined)).to.equal(true);
  });

  it('runs a new version at once while the ledger is away, and makes it durable later', async () => {
    let away = true;
    const ledger = {
      ...fixture.ledger,
      manifest: fixture.ledger.manifest,
      states: fixture.ledger.states,
      deleteState: fixture.ledger.deleteState,
      putManifest: fixture.ledger.putManifest,
      putState: (...row: Parameters<Ledger['putState']>) =>
        away ? Promise.reject(new LedgerError('ledger-unavailable', 'away')) : fixture.ledger.putState(...row),
    };
    const { feed, running, valid } = await start(ledger);
    const failed = await feed.apply('acme/echo', generation(1)).catch((error: unknown) => error);
    expect([failed instanceof LedgerError, running()?.orbId]).to.deep.equal([true, 'acme.echo@1.0.0']);
    away = false;
    await feed.apply('acme/echo', generation(1));
    expect([...valid.lastValid.keys()]).to.deep.equal(['acme/echo']);
  });
});
