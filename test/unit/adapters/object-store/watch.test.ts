import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { WatchQuery } from '../../../../adapters/kube/port.ts';
import { decodeWatch, type WatchEvent } from '../../../../adapters/kube/watch-decoder.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anObjectStore, type AnObjectStore } from '../../../support/an-object-store.ts';
import { refusal } from '../../../support/refusal.ts';

const text = (event: WatchEvent): string =>
  event.kind === 'changed' || event.kind === 'deleted' ? `${event.kind} ${event.object.metadata.name}` : event.kind;

describe('a watch of an object store', () => {
  let store: AnObjectStore;
  let stop: AbortController;
  beforeEach(async () => {
    store = await anObjectStore();
    stop = new AbortController();
  });
  afterEach(() => stop.abort());

  const watch = async (
    since: KubeObject | undefined,
    selection: Partial<WatchQuery> = {},
  ): Promise<() => Promise<string>> => {
    const resourceVersion = since?.metadata.resourceVersion ?? '1000';
    const query = { resourceVersion, timeoutSeconds: 300, ...selection };
    const bytes = await store.client.watch(KINDS.orb, query, stop.signal);
    const events = decodeWatch(bytes, { kind: KINDS.orb, monotonic: () => 0 })[Symbol.asyncIterator]();
    return async () => {
      const result = await events.next();
      return result.done === true ? 'end' : text(result.value);
    };
  };

  it('begins with what changed since its version, then waits', async () => {
    const a = await store.applyOrb('a');
    await store.applyOrb('b');
    await store.applyOrb('c');
    await store.deleteOrb('b');
    const next = await watch(a);
    expect([await next(), await next()]).to.deep.equal(['changed c', 'deleted b']);
    const waiting = next();
    await store.applyOrb('a', { spec: { description: 'new' } });
    expect(await waiting).to.equal('changed a');
  });

  it('reports deletions of an object that left the labels before', async () => {
    const label = (part: string): Promise<KubeObject> => store.applyOrb('a', { metadata: { labels: { part } } });
    const made = await label('x');
    await label('y');
    const next = await watch(made, { labelSelector: 'part=x' });
    expect(await next()).to.equal('deleted a');
    await store.deleteOrb('a');
    expect(await (await watch(made, { labelSelector: 'part=x' }))()).to.equal('deleted a');
  });

  it('ends with the reason of its signal', async () => {
    const reason = new Error('enough');
    const next = await watch(undefined);
    const waiting = refusal(next());
    stop.abort(reason);
    expect(await waiting).to.equal(reason);
  });

  it('is refused by 410 when it asks for deletions that are forgotten', async () => {
    const first = await store.applyOrb('a');
    for (let count = 0; count < 2100; count += 1) {
      await store.applyOrb('b');
      await store.deleteOrb('b');
    }
    const next = await watch(first);
    expect([await next(), await next()]).to.deep.equal(['error', 'end']);
  });
});
