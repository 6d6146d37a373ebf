import { expect } from 'chai';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createOwnWrites, type OwnWrites } from '../../../../adapters/kube/own-writes.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../../support/kube/fake-kube-client.ts';

interface Setup {
  readonly clock: FakeClock;
  readonly api: FakeKubeClient;
  readonly writes: OwnWrites;
  readonly offered: readonly KubeObject[];
  /** The store sees everything up to here. */
  readonly seen: () => void;
  readonly waitedFor: readonly string[];
  /** The store has `ns/a` in this version. */
  readonly cache: (resourceVersion: string) => void;
}

function setup(): Setup {
  const clock = createFakeClock(0);
  const api = createFakeKubeClient();
  const offered: KubeObject[] = [];
  const waitedFor: string[] = [];
  const seen = Promise.withResolvers<undefined>();
  const waitFor = async (resourceVersion: string, signal: AbortSignal): Promise<void> => {
    waitedFor.push(resourceVersion);
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    await Promise.race([seen.promise, aborted]);
  };
  const cached = new Map<string, KubeObject>();
  const store = {
    get: (key: string) => cached.get(key),
    waitFor,
    offer: (object: KubeObject) => void offered.push(object),
  };
  const writes = createOwnWrites({ client: api, kind: KINDS.orb, store, clock });
  api.put(KINDS.orb, { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { namespace: 'ns', name: 'a' } });
  const cache = (resourceVersion: string): void => {
    const metadata = { namespace: 'ns', name: 'a', resourceVersion };
    cached.set('ns/a', { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata });
  };
  return { clock, api, writes, offered, cache, seen: () => seen.resolve(undefined), waitedFor };
}

const signal = new AbortController().signal;

describe('createOwnWrites', () => {
  it('does not wait for a key that was not written', async () => {
    const { writes, waitedFor } = setup();
    writes.note('ns/b', '5');
    await writes.settle('ns/a', signal);
    expect(waitedFor).to.deep.equal([]);
  });

  it('waits until the store has seen the last write, once', async () => {
    const { clock, api, writes, seen, waitedFor } = setup();
    writes.note('ns/a', '5');
    writes.note('ns/a', '7');
    let settled = false;
    const settling = writes.settle('ns/a', signal).then(() => (settled = true));
    await clock.advance(4000);
    expect(settled).to.equal(false);
    seen();
    await settling;
    await writes.settle('ns/a', signal);
    expect(waitedFor).to.deep.equal(['7']);
    expect(api.requests).to.deep.equal([]);
  });

  it('does not wait for the watch when the store already has the answer of the write', async () => {
    const { writes, cache, waitedFor } = setup();
    writes.note('ns/a', '7');
    cache('10');
    await writes.settle('ns/a', signal);
    expect(waitedFor).to.deep.equal([]);
  });

  it('waits when the store has an older object, or one whose version can not be compared', async () => {
    const { writes, cache, seen, waitedFor } = setup();
    seen();
    for (const version of ['6', 'x']) {
      writes.note('ns/a', '7');
      cache(version);
      await writes.settle('ns/a', signal);
    }
    expect(waitedFor).to.deep.equal(['7', '7']);
  });

  it('reads the live object after 5 s and gives it to the store', async () => {
    const { clock, api, writes, offered } = setup();
    writes.note('ns/a', '7');
    const settling = writes.settle('ns/a', signal);
    await clock.advance(5000);
    await settling;
    expect(api.requests).to.deep.equal([{ verb: 'get', kind: 'Orb', key: 'ns/a' }]);
    expect(offered.map(({ metadata }) => metadata.name)).to.deep.equal(['a']);
  });

  it('reads the live object at once when the server knows a newer version', async () => {
    const { api, writes, offered, waitedFor } = setup();
    writes.doubt('ns/a');
    await writes.settle('ns/a', signal);
    await writes.settle('ns/a', signal);
    expect(api.requests).to.deep.equal([{ verb: 'get', kind: 'Orb', key: 'ns/a' }]);
    expect([offered.length, waitedFor]).to.deep.equal([1, []]);
  });

  it('reads the object that was written, when the key names another one', async () => {
    const { clock, api, writes } = setup();
    writes.note('ns', '7', { namespace: 'ns', name: 'orb-vault-reader' });
    const settling = writes.settle('ns', signal);
    await clock.advance(5000);
    await settling;
    expect(api.requests.map(({ key }) => key)).to.deep.equal(['ns/orb-vault-reader']);
  });

  it('waits again after the live object could not be read', async () => {
    const { clock, api, writes, seen } = setup();
    api.before = () => {
      throw kubeError(500, '');
    };
    writes.note('ns/a', '7');
    const settling = writes.settle('ns/a', signal).catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await settling).to.include({ status: 500 });
    let settled = false;
    const again = writes.settle('ns/a', signal).then(() => (settled = true));
    await clock.advance(1000);
    expect(settled).to.equal(false);
    seen();
    await again;
  });

  it('ends with its signal', async () => {
    const { writes } = setup();
    writes.note('ns/a', '7');
    const stop = new AbortController();
    const settling = writes.settle('ns/a', stop.signal).catch((error: unknown) => error);
    stop.abort('stopped');
    expect(await settling).to.equal('stopped');
  });
});
