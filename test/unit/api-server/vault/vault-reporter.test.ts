import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createStatusWriter } from '../../../../adapters/kube/status-writer.ts';
import { createVaultReporter, type OrbisetReport } from '../../../../api-server/vault/vault-reporter.ts';
import type { VaultReport } from '../../../../core/orb/compile-orbiset.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import type { EntryInUrl } from '../../../../core/orb/vault-status.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { anOrbiset, sent } from '../../../support/kube-objects.ts';
import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const KEY = 'acme/support';
const NOW = Date.parse('2026-11-20T10:00:00Z');
const COMPLETE: VaultReport = { entries: ['TOKEN'], missing: [], trimmed: [], unscrubbable: [] };
const MAIL = parseOrbId('acme.mail@1.0.0');
if (!MAIL.ok) throw new TypeError('no orb_id');
const IN_URL: EntryInUrl = { entry: 'TOKEN', orbId: MAIL.value };
const never = new AbortController().signal;

interface Started {
  readonly run: () => Promise<unknown>;
  readonly writes: () => number;
  /** Field managers of the writes. */
  readonly writers: () => readonly (string | undefined)[];
  readonly orbiset: () => KubeObject;
  reported: OrbisetReport | undefined;
  /** Undefined: not every Orb is known. */
  inUrls: readonly EntryInUrl[] | undefined;
}

function start(): Started {
  const client = createFakeKubeClient();
  const orbiset = (): KubeObject => {
    const [object] = client.objects(KINDS.orbiset);
    if (object === undefined) throw new TypeError('no Orbiset');
    return object;
  };
  client.put(KINDS.orbiset, sent(anOrbiset('support')));
  client.put(KINDS.orbiset, sent(anOrbiset('support', { spec: { suspended: false } })));
  const store = { get: orbiset, offer: () => undefined };
  const reconcile = createVaultReporter({
    feed: { report: () => started.reported },
    inUrls: () => started.inUrls,
    store,
    writes: { note: () => undefined },
    writer: createStatusWriter({ client, assertLeading: () => undefined }),
    clock: { now: () => NOW },
  });
  const { uid = '', generation = 0 } = orbiset().metadata;
  const started: Started = {
    run: () => reconcile(KEY, { signal: never }),
    writes: () => started.writers().length,
    writers: () => client.requests.filter(({ verb }) => verb === 'apply').map(({ fieldManager }) => fieldManager),
    orbiset,
    reported: { uid, generation, report: COMPLETE, hosts: new Map(), orbs: [] },
    inUrls: [],
  };
  return started;
}

describe('the report of a vault (security.md §6.1)', () => {
  it('says which entries are there, once', async () => {
    const started = start();
    await started.run();
    await started.run();
    const object = started.orbiset();
    expect(statusOf(object)['vault']).to.deep.equal({ entries: ['TOKEN'], missing: [] });
    expect(conditionOf(object, 'VaultReady')).to.deep.include({
      status: 'True',
      reason: 'VaultComplete',
      observedGeneration: object.metadata.generation,
    });
    expect(started.writers()).to.deep.equal(['orb-api-vault']);
  });

  it('takes back a condition that no longer holds', async () => {
    const started = start();
    const { reported } = started;
    if (reported === undefined) throw new TypeError('no report');
    started.reported = { ...reported, report: { ...COMPLETE, trimmed: ['TOKEN'], unscrubbable: ['TOKEN'] } };
    await started.run();
    expect(conditionOf(started.orbiset(), 'TrailingNewline')?.message).to.contain('TOKEN');
    expect(conditionOf(started.orbiset(), 'UnscrubbableSecret')?.reason).to.equal('TooShort');
    started.reported = reported;
    await started.run();
    expect(conditionOf(started.orbiset(), 'TrailingNewline')).to.equal(undefined);
  });

  it('reports a secret in a URL, writes it once, and takes it back', async () => {
    const started = start();
    started.inUrls = [IN_URL];
    await started.run();
    await started.run();
    expect(conditionOf(started.orbiset(), 'SecretInUrl')).to.deep.include({
      status: 'True',
      reason: 'SecretInUrl',
      message: 'Proxies and providers may log a URL, so use a header for the secret: TOKEN of acme.mail@1.0.0.',
    });
    expect(started.writes()).to.equal(1);
    started.inUrls = [];
    await started.run();
    expect([conditionOf(started.orbiset(), 'SecretInUrl'), started.writes()]).to.deep.equal([undefined, 2]);
  });

  it('keeps the report about URLs while not every Orb is known, also when it writes something else', async () => {
    const started = start();
    started.inUrls = [IN_URL];
    await started.run();
    const before = conditionOf(started.orbiset(), 'SecretInUrl');
    started.inUrls = undefined;
    await started.run();
    expect(started.writes()).to.equal(1);
    const { reported } = started;
    if (reported === undefined) throw new TypeError('no report');
    started.reported = { ...reported, report: { ...COMPLETE, trimmed: ['TOKEN'] } };
    await started.run();
    expect(conditionOf(started.orbiset(), 'TrailingNewline')?.status).to.equal('True');
    expect(conditionOf(started.orbiset(), 'SecretInUrl')).to.deep.equal(before);
  });

  it('says nothing while it knows nothing, or only of another generation or object', async () => {
    const started = start();
    const { reported } = started;
    if (reported === undefined) throw new TypeError('no report');
    for (const other of [undefined, { ...reported, generation: 7 }, { ...reported, uid: 'another' }]) {
      started.reported = other;
      await started.run();
    }
    expect(started.writes()).to.equal(0);
  });
});
