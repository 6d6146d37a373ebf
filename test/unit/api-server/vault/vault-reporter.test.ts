import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createStatusWriter } from '../../../../adapters/kube/status-writer.ts';
import { createVaultReporter, type OrbisetReport } from '../../../../api-server/vault/vault-reporter.ts';
import type { VaultReport } from '../../../../core/orb/compile-orbiset.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { anOrbiset, sent } from '../../../support/kube-objects.ts';
import { createFakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const KEY = 'acme/support';
const NOW = Date.parse('2026-11-20T10:00:00Z');
const COMPLETE: VaultReport = { entries: ['TOKEN'], missing: [], trimmed: [], unscrubbable: [] };
const never = new AbortController().signal;

interface Started {
  readonly run: () => Promise<unknown>;
  readonly writes: () => number;
  readonly orbiset: () => KubeObject;
  reported: OrbisetReport | undefined;
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
    store,
    writes: { note: () => undefined },
    writer: createStatusWriter({ client, assertLeading: () => undefined }),
    clock: { now: () => NOW },
  });
  const { uid = '', generation = 0 } = orbiset().metadata;
  const started: Started = {
    run: () => reconcile(KEY, { signal: never }),
    writes: () => client.requests.filter(({ verb }) => verb === 'apply').length,
    orbiset,
    reported: { uid, generation, report: COMPLETE },
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
    expect(started.writes()).to.equal(1);
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
