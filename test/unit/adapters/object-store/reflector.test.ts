import { expect } from 'chai';
import type { LocalReflectorOptions } from '../../../../adapters/object-store/local-reflector.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Change, Reflector } from '../../../../adapters/kube/port.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anObjectStore, type AnObjectStore } from '../../../support/an-object-store.ts';
import { ledgerAway } from '../../../support/object-rows.ts';
import { refusal } from '../../../support/refusal.ts';

const versionOf = (object: KubeObject | undefined): string => object?.metadata.resourceVersion ?? '';
const nameOf = ({ metadata }: KubeObject): string => metadata.name;

interface Running {
  readonly reflector: Reflector;
  readonly changes: Change[];
  /** `acme/a made`, `acme/a changed`, `acme/a gone`, with ` *` for the first listing and a resync. */
  readonly reported: () => readonly string[];
  readonly names: () => readonly string[];
  readonly stop: () => Promise<void>;
}

const what = ({ before, after }: Change): string =>
  after === undefined ? 'gone' : before === undefined ? 'made' : 'changed';

function reflect(store: AnObjectStore, options: Partial<LocalReflectorOptions> = {}): Running {
  const changes: Change[] = [];
  const reflector = store.reflect({ kind: KINDS.orb, onChange: (change) => void changes.push(change), ...options });
  const stop = new AbortController();
  const running = reflector.run(stop.signal);
  return {
    reflector,
    changes,
    reported: () => changes.splice(0).map((change) => `${change.key} ${what(change)}${change.initial ? ' *' : ''}`),
    names: () => reflector.store.list().map(nameOf).toSorted(),
    stop: () => {
      stop.abort();
      return running;
    },
  };
}

const provider = ({ spec }: KubeObject): string => {
  const found = isJsonObject(spec) ? spec['provider'] : undefined;
  return typeof found === 'string' ? found : '';
};

describe('the reflector of an object store', () => {
  let store: AnObjectStore;
  let running: Running | undefined;
  beforeEach(async () => {
    store = await anObjectStore();
  });
  afterEach(() => running?.stop());

  it('takes over what is there as one first listing, then reports every write', async () => {
    await store.applyOrb('a');
    running = reflect(store);
    await running.reflector.synced;
    expect(running.reported()).to.deep.equal(['acme/a made *']);
    await store.applyOrb('b');
    await store.applyOrb('a', { spec: { description: 'new' } });
    await store.deleteOrb('b');
    expect(running.reported()).to.deep.equal(['acme/b made', 'acme/a changed', 'acme/b gone']);
    expect(running.names()).to.deep.equal(['a']);
  });

  it('does nothing before it runs and after it was stopped', async () => {
    const idle = store.reflect({ kind: KINDS.orb, onChange: () => expect.fail('a change was reported') });
    expect([idle.state(), idle.hasSynced(), idle.store.resourceVersion()]).to.deep.equal(['idle', false, undefined]);
    running = reflect(store);
    expect([running.reflector.state(), running.reflector.hasSynced()]).to.deep.equal(['watching', true]);
    await running.stop();
    await store.applyOrb('a');
    expect([running.reported(), running.reflector.state()]).to.deep.equal([[], 'stopped']);
    await idle.run(AbortSignal.abort());
    expect([idle.state(), idle.hasSynced()]).to.deep.equal(['stopped', false]);
  });

  it('shows a write before it is answered, also one of another kind', async () => {
    running = reflect(store, { freeze: true });
    const made = await store.applyOrb('a');
    expect(running.reflector.store.get('acme/a')).to.deep.equal(made);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'acme', name: 's' } };
    const other = await store.client.create(KINDS.secret, secret, new AbortController().signal);
    await running.reflector.store.waitFor(versionOf(other), new AbortController().signal);
    expect(running.reflector.store.resourceVersion()).to.equal(versionOf(other));
  });

  it('lets who waits for a later version go on as soon as it was written, whatever it is of', async () => {
    running = reflect(store, { selection: { namespace: 'globex' } });
    const next = String(Number(running.reflector.store.resourceVersion()) + 1);
    const seen = running.reflector.store.waitFor(next, new AbortController().signal);
    expect(versionOf(await store.applyOrb('a'))).to.equal(next);
    await seen;
    expect(running.names()).to.deep.equal([]);
  });

  it('is never silent and never fails', async () => {
    running = reflect(store);
    await store.clock.advance(3_000_000);
    running.reflector.nudge();
    expect(running.reflector.lastContactMs()).to.equal(3_000_000);
    expect(running.reflector.failure()).to.equal(undefined);
  });

  it('reports all objects every 10 minutes, as of unchanged ones', async () => {
    await store.applyOrb('a');
    running = reflect(store);
    running.reported();
    await store.clock.advance(599_999);
    expect(running.reported()).to.deep.equal([]);
    await store.clock.advance(1);
    expect(running.reported()).to.deep.equal(['acme/a changed *']);
  });

  const selections: readonly (readonly [why: string, selection: object, expected: readonly string[]])[] = [
    ['everything', {}, ['a', 'b', 'c']],
    ['a namespace', { namespace: 'acme' }, ['a', 'b']],
    ['a name', { namespace: 'acme', fieldSelector: 'metadata.name=a' }, ['a']],
    ['a label with its value', { labelSelector: 'part=x' }, ['a', 'c']],
    ['a label', { labelSelector: 'part' }, ['a', 'b', 'c']],
    ['two labels', { labelSelector: 'part=x,only' }, ['c']],
  ];
  for (const [why, selection, expected] of selections) {
    it(`follows ${why}`, async () => {
      const fill = async (spec: object): Promise<void> => {
        await store.applyOrb('a', { metadata: { labels: { part: 'x' } }, spec });
        await store.applyOrb('b', { metadata: { labels: { part: 'y' } }, spec });
        await store.applyOrb('c', { metadata: { namespace: 'globex', labels: { part: 'x', only: '' } }, spec });
      };
      await fill({});
      running = reflect(store, { selection });
      expect(running.names()).to.deep.equal(expected);
      running.reported();
      await fill({ description: 'new' });
      expect(running.reported()).to.have.length(expected.length);
    });
  }

  it('takes an object that leaves the labels of the selection for removed, and takes it in again', async () => {
    const label = (part: string): Promise<KubeObject> => store.applyOrb('a', { metadata: { labels: { part } } });
    await label('x');
    running = reflect(store, { selection: { labelSelector: 'part=x' } });
    await label('y');
    await label('z');
    await label('x');
    expect(running.reported()).to.deep.equal(['acme/a made *', 'acme/a gone', 'acme/a made']);
    await label('y');
    await store.deleteOrb('a');
    expect(running.reported()).to.deep.equal(['acme/a gone']);
  });

  it('finds by indexes, and holds what the transform leaves', async () => {
    running = reflect(store, {
      indexes: { provider: (object) => [provider(object)] },
      transform: (object) => (provider(object) === 'hidden' ? undefined : { ...object, status: 'seen' }),
    });
    const { byIndex } = running.reflector.store;
    await store.applyOrb('a', { spec: { provider: 'one' } });
    await store.applyOrb('b', { spec: { provider: 'hidden' } });
    expect(byIndex('provider', 'one').map(({ metadata, status }) => [metadata.name, status])).to.deep.equal([
      ['a', 'seen'],
    ]);
    await store.applyOrb('a', { spec: { provider: 'hidden' } });
    await store.applyOrb('b', { spec: { provider: 'two' } });
    expect([byIndex('provider', 'one'), byIndex('provider', 'two').map(nameOf)]).to.deep.equal([[], ['b']]);
  });

  it('does not report what changed nothing, nor of what the ledger refused', async () => {
    await store.applyOrb('a');
    running = reflect(store);
    running.reported();
    await store.applyOrb('a');
    store.rows.before = () => {
      throw ledgerAway();
    };
    await refusal(store.applyOrb('a', { spec: { description: 'new' } }));
    await refusal(store.deleteOrb('a'));
    expect(running.reported()).to.deep.equal([]);
  });

  it('gives readers what they can not change', async () => {
    await store.applyOrb('a', { spec: { inputs: { text: { type: 'string' } } } });
    running = reflect(store);
    const spec = running.reflector.store.get('acme/a')?.spec;
    const inputs = isJsonObject(spec) ? spec['inputs'] : undefined;
    expect([Object.isFrozen(spec), Object.isFrozen(inputs)]).to.deep.equal([true, true]);
  });

  it('is not moved by what a caller does to what it sent', async () => {
    const inputs: Record<string, string> = { text: 'string' };
    await store.applyOrb('a', { spec: { inputs } });
    inputs['text'] = 'number';
    expect((await store.orb('a'))?.spec).to.deep.include({ inputs: { text: 'string' } });
  });
});
