import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Change } from '../../../../adapters/kube/port.ts';
import { createStore, type StoreOptions, type WritableStore } from '../../../../adapters/kube/store.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { anObject } from '../../../support/kube/kube-objects.ts';
import { recordingLogger, type RecordedLine } from '../../../support/kube/recorders.ts';

interface Fixture {
  readonly store: WritableStore;
  readonly clock: FakeClock;
  readonly lines: readonly RecordedLine[];
  readonly changes: Change[];
  /** `a: 1 → 2`, `-` for none. */
  readonly seen: () => readonly string[];
}

const version = (object: KubeObject | undefined): string => object?.metadata.resourceVersion ?? '-';

function aStore(options: Partial<StoreOptions> = {}): Fixture {
  const clock = createFakeClock(0);
  const logger = recordingLogger();
  const changes: Change[] = [];
  const onChange = (change: Change): void => void changes.push(change);
  const store = createStore({ kind: KINDS.orb, clock, logger, onChange, freeze: true, ...options });
  const seen = (): readonly string[] =>
    changes
      .splice(0)
      .map(({ key, before, after, initial }) => `${key}: ${version(before)} → ${version(after)}${initial ? ' *' : ''}`);
  return { store, clock, lines: logger.lines, changes, seen };
}

const listing = (
  objects: readonly KubeObject[],
  resourceVersion: number,
  floor?: number,
): Parameters<WritableStore['replace']>[0] => ({
  objects,
  resourceVersion: String(resourceVersion),
  floor: floor === undefined ? undefined : String(floor),
});

const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);
const never = new AbortController().signal;

describe('createStore', () => {
  it('gives what was put by its key', () => {
    const { store } = aStore();
    store.put(anObject('a', 5));
    expect(store.get('acme/a')?.metadata.resourceVersion).to.equal('5');
    expect(names(store.list())).to.deep.equal(['a']);
  });

  it('knows an object of no namespace by its name', () => {
    const { store } = aStore();
    const { namespace: _, ...metadata } = anObject('a', 5).metadata;
    store.put({ ...anObject('a', 5), metadata });
    expect(store.get('a')?.metadata.name).to.equal('a');
  });

  it('refuses a duplicate and an older version, and reports neither', () => {
    const { store, seen } = aStore();
    for (const number of [5, 5, 4, 10, 9]) store.put(anObject('a', number));
    expect(store.get('acme/a')?.metadata.resourceVersion).to.equal('10');
    expect(seen()).to.deep.equal(['acme/a: - → 5', 'acme/a: 5 → 10']);
  });

  it('refuses an older object of another UID', () => {
    const { store } = aStore();
    store.put(anObject('a', 10, { uid: 'second' }));
    store.put(anObject('a', 9, { uid: 'first' }));
    expect(store.get('acme/a')?.metadata.uid).to.equal('second');
  });

  it('gives readers objects that they can not change', () => {
    const { store } = aStore();
    const deep = { list: [1] };
    store.put(anObject('a', 1, { spec: { deep } }));
    expect(() => deep.list.push(2)).to.throw(TypeError);
  });

  it('freezes nothing unless asked', () => {
    const { store } = aStore({ freeze: false });
    store.put(anObject('a', 1));
    expect(Object.isFrozen(store.get('acme/a'))).to.equal(false);
  });

  it('does not list an object under an older list that a reader still holds', () => {
    const { store } = aStore();
    store.put(anObject('a', 1));
    const before = store.list();
    store.put(anObject('b', 2));
    expect([names(before), names(store.list())]).to.deep.equal([['a'], ['a', 'b']]);
  });
});

describe('tombstones of a store', () => {
  it('keep the late answer to a write from bringing an object back', () => {
    const { store } = aStore();
    store.put(anObject('a', 5));
    store.remove(anObject('a', 8));
    store.offer(anObject('a', 7));
    expect(store.get('acme/a')).to.equal(undefined);
  });

  it('let in an object that was created anew', () => {
    const { store } = aStore();
    store.remove(anObject('a', 8));
    store.put(anObject('a', 9, { uid: 'second' }));
    expect(store.get('acme/a')?.metadata.uid).to.equal('second');
  });

  it('let in the same object when it comes back into the selection', () => {
    const { store } = aStore();
    store.put(anObject('a', 5));
    store.remove(anObject('a', 8));
    store.put(anObject('a', 9));
    expect(store.get('acme/a')?.metadata.resourceVersion).to.equal('9');
  });

  it('hold for 5 minutes', async () => {
    const { store, clock } = aStore();
    store.remove(anObject('a', 8));
    await clock.advance(299_999);
    store.offer(anObject('a', 7));
    expect(store.get('acme/a')).to.equal(undefined);
    await clock.advance(1);
    store.offer(anObject('a', 7));
    expect(store.get('acme/a')?.metadata.resourceVersion).to.equal('7');
  });

  it('know an object whose version can not be compared by its UID', () => {
    const { store } = aStore();
    store.put(anObject('a', 'x'));
    store.remove(anObject('a', 'y'));
    store.offer(anObject('a', 'z'));
    expect(store.get('acme/a')).to.equal(undefined);
  });

  it('are left by an object that a LIST no longer holds', () => {
    const { store } = aStore();
    store.replace(listing([anObject('a', 5)], 5), true);
    store.replace(listing([], 9, 5), false);
    store.offer(anObject('a', 8));
    expect(store.get('acme/a')).to.equal(undefined);
  });

  it('do not remove an object that is newer than the deletion', () => {
    const { store } = aStore();
    store.put(anObject('a', 10, { uid: 'second' }));
    store.remove(anObject('a', 9));
    expect(store.get('acme/a')?.metadata.uid).to.equal('second');
  });
});

describe('a LIST in a store', () => {
  it('reports new, changed and missing objects, and no other', () => {
    const { store, seen } = aStore();
    store.replace(listing([anObject('same', 1), anObject('changed', 2), anObject('gone', 3)], 5), true);
    expect(seen()).to.deep.equal(['acme/same: - → 1 *', 'acme/changed: - → 2 *', 'acme/gone: - → 3 *']);
    store.replace(listing([anObject('same', 1), anObject('changed', 7), anObject('new', 8)], 9, 5), false);
    expect(seen()).to.deep.equal(['acme/changed: 2 → 7', 'acme/new: - → 8', 'acme/gone: 3 → -']);
  });

  it('keeps what was written after it was made', () => {
    const { store } = aStore();
    store.replace(listing([anObject('a', 5)], 5), true);
    const floor = 5;
    store.offer(anObject('a', 12));
    store.offer(anObject('created', 11));
    store.replace(listing([anObject('a', 9)], 10, floor), false);
    expect(store.list().map(({ metadata }) => metadata.resourceVersion)).to.deep.equal(['12', '11']);
  });

  it('from before the history was rewound replaces everything and reports it', () => {
    const { store, seen } = aStore();
    store.replace(listing([anObject('a', 90), anObject('b', 40), anObject('gone', 95)], 100), true);
    store.remove(anObject('deleted', 99));
    seen();
    const restored = listing([anObject('a', 30), anObject('b', 40), anObject('deleted', 35)], 50, 100);
    expect(store.replace(restored, false)).to.equal('rewound');
    expect(seen()).to.deep.equal(['acme/a: 90 → 30', 'acme/b: 40 → 40 *', 'acme/deleted: - → 35', 'acme/gone: 95 → -']);
    expect(store.resourceVersion()).to.equal('50');
  });

  it('is followed, after a rewind, by events of the new history', () => {
    const { store } = aStore();
    store.replace(listing([anObject('a', 90)], 100), true);
    store.replace(listing([anObject('a', 30)], 50, 100), false);
    store.put(anObject('a', 51));
    expect(store.get('acme/a')?.metadata.resourceVersion).to.equal('51');
  });
});

describe('indexes of a store', () => {
  const byOrb = {
    orb: ({ spec }: KubeObject): readonly string[] => {
      const ids = isJsonObject(spec) ? spec['ids'] : undefined;
      if (!Array.isArray(ids)) throw new TypeError('no ids');
      return ids.map(String);
    },
  };

  it('find an object under each of its values, and under none that it has lost', () => {
    const { store } = aStore({ indexes: byOrb });
    store.put(anObject('a', 1, { spec: { ids: ['x', 'y'] } }));
    store.put(anObject('b', 2, { spec: { ids: ['y'] } }));
    expect(names(store.byIndex('orb', 'y'))).to.deep.equal(['a', 'b']);
    store.put(anObject('a', 3, { spec: { ids: ['z'] } }));
    expect(['x', 'y', 'z'].map((value) => names(store.byIndex('orb', value)))).to.deep.equal([[], ['b'], ['a']]);
    store.remove(anObject('b', 4));
    expect(names(store.byIndex('orb', 'y'))).to.deep.equal([]);
  });

  it('keep out only the object for which their function throws, until a version of it is good', () => {
    const { store, lines, seen } = aStore({ indexes: byOrb });
    store.put(anObject('bad', 1, { spec: null }));
    store.put(anObject('good', 2, { spec: { ids: ['x'] } }));
    expect(names(store.byIndex('orb', 'x'))).to.deep.equal(['good']);
    expect(store.get('acme/bad')?.metadata.resourceVersion).to.equal('1');
    expect(seen()).to.have.length(2);
    expect(lines.map(({ level, fields }) => [level, fields['key'], fields['index']])).to.deep.equal([
      ['warn', 'acme/bad', 'orb'],
    ]);
    store.put(anObject('bad', 3, { spec: { ids: ['x'] } }));
    expect(names(store.byIndex('orb', 'x'))).to.deep.equal(['good', 'bad']);
  });

  it('of an unknown name are a bug', () => {
    const { store } = aStore();
    expect(() => store.byIndex('none', 'x')).to.throw(RangeError);
  });
});

const strict = (object: KubeObject): KubeObject => {
  if (object.metadata.name === 'bad') throw new Error('malformed');
  return object;
};

describe('the transform of a store', () => {
  const managers = [
    { manager: 'kubectl', fieldsV1: { 'f:spec': { 'f:provider': {} } } },
    { manager: 'someone', fieldsV1: { 'f:spec': { 'f:pin': { 'f:provider': {} } } } },
    null,
  ];

  it('drops managedFields but of those who own the pin, and kubectl’s copy', () => {
    const { store } = aStore();
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'x' };
    store.put(anObject('a', 1, { metadata: { managedFields: managers, annotations } }));
    const { metadata } = store.get('acme/a') ?? anObject('none', 0);
    expect(metadata.managedFields).to.deep.equal([managers[1]]);
    expect(metadata.annotations).to.deep.equal({ mine: 'x' });
  });

  it('leaves no managedFields where nobody owns a pin', () => {
    const { store } = aStore();
    store.put(anObject('a', 1, { metadata: { managedFields: managers.slice(0, 1) } }));
    expect('managedFields' in (store.get('acme/a')?.metadata ?? {})).to.equal(false);
  });

  it('keeps an object out, and removes one that it kept before', () => {
    const { store, seen } = aStore({ transform: (object) => (object.spec === 'no' ? undefined : object) });
    store.put(anObject('a', 1, { spec: 'yes' }));
    store.put(anObject('b', 2, { spec: 'no' }));
    store.put(anObject('a', 3, { spec: 'no' }));
    expect(store.list()).to.deep.equal([]);
    expect(seen()).to.deep.equal(['acme/a: - → 1', 'acme/a: 1 → -']);
  });

  it('that throws keeps out that object only', () => {
    const { store, lines } = aStore({ transform: strict });
    store.replace(listing([anObject('bad', 1), anObject('good', 2)], 3), true);
    expect(names(store.list())).to.deep.equal(['good']);
    expect(lines.map(({ fields }) => fields['key'])).to.deep.equal(['acme/bad']);
  });
});

describe('handlers of a store', () => {
  it('that throw stop neither the store nor the next change', () => {
    const { store, lines } = aStore({
      onChange: () => {
        throw new Error('handler');
      },
    });
    store.put(anObject('a', 1));
    store.put(anObject('b', 2));
    expect(names(store.list())).to.deep.equal(['a', 'b']);
    expect(lines.map(({ level }) => level)).to.deep.equal(['error', 'error']);
  });

  it('are told of all objects by a resync', () => {
    const { store, seen } = aStore();
    store.put(anObject('a', 1));
    seen();
    store.resync();
    expect(seen()).to.deep.equal(['acme/a: 1 → 1 *']);
  });
});

const outcome = async (waiting: Promise<void>): Promise<string> => {
  const later = new Promise<string>((resolve) => setImmediate(() => resolve('waits')));
  return Promise.race([waiting.then(() => 'seen'), later]);
};

describe('waitFor', () => {
  it('resolves when an event, bookmark or LIST of that version or a later one was seen', async () => {
    const { store } = aStore();
    const waiting = store.waitFor('10', never);
    store.advance('9');
    expect(await outcome(waiting)).to.equal('waits');
    store.advance('11');
    expect(await outcome(waiting)).to.equal('seen');
    expect(await outcome(store.waitFor('11', never))).to.equal('seen');
  });

  it('does not take the answer to a write for what the watch has seen', async () => {
    const { store } = aStore();
    store.offer(anObject('a', 20));
    expect(await outcome(store.waitFor('10', never))).to.equal('waits');
  });

  it('rejects with the reason of its signal', async () => {
    const { store } = aStore();
    const stop = new AbortController();
    const waiting = store.waitFor('10', stop.signal);
    stop.abort(new Error('enough'));
    expect(await waiting.catch((error: unknown) => String(error))).to.equal('Error: enough');
  });

  it('ends for versions of a history that was rewound', async () => {
    const { store } = aStore();
    store.replace(listing([], 100), true);
    const waiting = store.waitFor('105', never);
    store.replace(listing([], 50, 100), false);
    expect(await outcome(waiting)).to.equal('seen');
  });
});
