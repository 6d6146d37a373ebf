import { expect } from 'chai';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import {
  createStatusWriter,
  type StatusOwner,
  type StatusWriteResult,
} from '../../../../adapters/kube/status-writer.ts';
import { createFakeKubeClient, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

const ORB = { namespace: 'team-a', name: 'mail' };
const signal = new AbortController().signal;

const condition = (type: string, status = 'True', message = ''): object => ({
  type,
  status,
  reason: 'Compiled',
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

interface Setup {
  readonly api: FakeKubeClient;
  readonly offered: KubeObject[];
  readonly noted: (readonly [string, string])[];
  readonly live: () => KubeObject;
  readonly write: (status: object, owner?: 'orb' | 'failover', object?: KubeObject) => Promise<StatusWriteResult>;
}

function setup(assertLeading: () => void = () => undefined): Setup {
  const api = createFakeKubeClient();
  const first = api.put(KINDS.orb, { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: ORB, spec: { a: 1 } });
  const offered: KubeObject[] = [];
  const noted: (readonly [string, string])[] = [];
  const common = {
    kind: KINDS.orb,
    store: { offer: (object: KubeObject) => void offered.push(object) },
    writes: { note: (key: string, resourceVersion: string) => void noted.push([key, resourceVersion]) },
  };
  const owners = {
    orb: {
      ...common,
      fieldManager: 'orb-operator',
      members: ['observedGeneration', 'validDigest'],
      conditions: ['Ready', 'Stalled'],
    },
    failover: { ...common, fieldManager: 'another', members: ['failover'], conditions: ['PinValid'] },
  } satisfies Record<string, StatusOwner>;
  const writer = createStatusWriter({ client: api, assertLeading });
  const live = (): KubeObject => api.objects(KINDS.orb)[0] ?? first;
  return {
    api,
    offered,
    noted,
    live,
    write: (status, owner = 'orb', object = live()) => writer.write(owners[owner], object, status, signal),
  };
}

describe('createStatusWriter', () => {
  const whole = {
    observedGeneration: 1,
    validDigest: 'sha256:0',
    conditions: [condition('Ready'), condition('Stalled')],
  };

  it('applies the status with the resourceVersion that was read, and gives the answer to the store', async () => {
    const { api, offered, noted, live, write } = setup();
    expect(await write(whole)).to.equal('written');
    expect(api.requests).to.deep.equal([
      { verb: 'apply', kind: 'Orb', key: 'team-a/mail', fieldManager: 'orb-operator', subresource: 'status' },
    ]);
    expect(live().status).to.deep.equal(whole);
    expect(offered).to.deep.equal([live()]);
    expect(noted).to.deep.equal([['team-a/mail', live().metadata.resourceVersion]]);
  });

  it('sends nothing when the cached status says the same, in whatever order', async () => {
    const { api, write } = setup();
    await write(whole);
    const { length } = api.requests;
    const turned = { conditions: whole.conditions.toReversed(), validDigest: 'sha256:0', observedGeneration: 1 };
    expect(await write(turned)).to.equal('unchanged');
    expect(await write({ ...turned, none: undefined })).to.equal('unchanged');
    expect(api.requests).to.have.length(length);
  });

  const changes: readonly (readonly [string, object])[] = [
    ['another value of a member', { ...whole, observedGeneration: 2 }],
    ['a member that is left out', { observedGeneration: 1, conditions: whole.conditions }],
    ['a condition that is left out', { ...whole, conditions: [condition('Ready')] }],
    ['all conditions left out', { observedGeneration: 1, validDigest: 'sha256:0' }],
    [
      'another message of a condition',
      { ...whole, conditions: [condition('Ready', 'True', 'x'), condition('Stalled')] },
    ],
  ];
  for (const [why, status] of changes) {
    it(`writes ${why}, and is content then`, async () => {
      const { live, write } = setup();
      await write(whole);
      expect(await write(status)).to.equal('written');
      expect(live().status).to.deep.equal(status);
      expect(await write(status)).to.equal('unchanged');
    });
  }

  it('leaves the parts of other managers alone, and is not moved by them', async () => {
    const { live, write } = setup();
    const failover = { failover: { activeProvider: 'a' }, conditions: [condition('PinValid')] };
    await write(whole);
    expect(await write(failover, 'failover')).to.equal('written');
    expect(await write(whole)).to.equal('unchanged');
    expect(await write({ observedGeneration: 1 })).to.equal('written');
    expect(live().status).to.deep.equal({ observedGeneration: 1, ...failover });
  });

  it('mends what somebody else changed', async () => {
    const { api, live, write } = setup();
    await write(whole);
    api.put(KINDS.orb, { ...live(), metadata: { ...ORB }, status: { ...whole, validDigest: 'sha256:f' } });
    expect(await write(whole)).to.equal('written');
    expect(live().status).to.deep.equal(whole);
  });

  for (const status of [undefined, null, 'x', [], { conditions: 'x' }, { conditions: [null, 7, {}] }]) {
    it(`reads a stored status of any shape: ${JSON.stringify(status)}`, async () => {
      const { live, write } = setup();
      expect(await write(whole, 'orb', { ...live(), status })).to.equal('written');
    });
  }

  it('refuses to overwrite what changed since it was read', async () => {
    const { api, live, write } = setup();
    const read = live();
    api.put(KINDS.orb, { ...read, metadata: { ...ORB }, spec: { a: 2 } });
    const error: unknown = await write(whole, 'orb', read).catch((thrown: unknown) => thrown);
    expect(error).to.include({ status: 409 });
    expect(live().status).to.equal(undefined);
  });

  it('does not bring a deleted object back', async () => {
    const { api, live, write } = setup();
    const read = live();
    api.remove(KINDS.orb, ORB);
    expect(await write(whole, 'orb', read)).to.equal('gone');
    expect(api.objects(KINDS.orb)).to.deep.equal([]);
  });

  it('writes nothing when this process does not lead', async () => {
    const { api, write } = setup(() => {
      throw new NotLeading();
    });
    const error: unknown = await write(whole).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(NotLeading);
    expect(api.requests).to.deep.equal([]);
  });

  it('refuses members and conditions that are not its own', async () => {
    const { write } = setup();
    const error: unknown = await write({ failover: {}, conditions: [condition('PinValid')] }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error)
      .to.be.instanceOf(TypeError)
      .with.property('message', 'orb-operator does not own failover, PinValid of the status');
  });
});
