import { expect } from 'chai';
import fc from 'fast-check';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { createStore } from '../../../../adapters/kube/store.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { anObject } from '../../../support/kube/kube-objects.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';

/** What a server did: each step is one version. */
interface Step {
  readonly name: string;
  readonly act: 'write' | 'delete';
}

interface Happening {
  readonly type: 'put' | 'remove';
  readonly object: KubeObject;
}

interface History {
  readonly happenings: readonly Happening[];
  /** Name → version, as the server ends. */
  readonly end: ReadonlyMap<string, string>;
}

function play(steps: readonly Step[]): History {
  const live = new Map<string, string>();
  const uids = new Map<string, string>();
  const happenings: Happening[] = [];
  for (const [index, { name, act }] of steps.entries()) {
    const version = String(index + 95); // passes 100: text alone would order it wrong
    if (act === 'write') {
      if (!live.has(name)) uids.set(name, `uid-${version}`);
      live.set(name, version);
    } else if (!live.delete(name)) continue;
    const spec = { tags: [name, act] };
    const object = anObject(name, version, { uid: uids.get(name) ?? '', spec });
    happenings.push({ type: act === 'write' ? 'put' : 'remove', object });
  }
  return { happenings, end: live };
}

const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), act: fc.constantFrom('write', 'delete') });
const tagsOf = ({ spec }: KubeObject): readonly string[] => {
  const tags = isJsonObject(spec) ? spec['tags'] : undefined;
  return Array.isArray(tags) ? tags.map(String) : [];
};

const versionOf = ({ object }: Happening): number => Number(object.metadata.resourceVersion);

const shown = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).toSorted();
const endOf = ({ end }: History): readonly string[] =>
  [...end].map(([name, version]) => `${name} ${version}`).toSorted();

describe('a store is the model of its server', () => {
  it('after every event was seen, in any order and some of them twice, with answers to writes between', () => {
    const order = fc.array(fc.nat(), { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), order, (steps, numbers) => {
        const history = play(steps);
        const { happenings } = history;
        const store = createStore({
          kind: KINDS.orb,
          clock: createFakeClock(0),
          logger: recordingLogger(),
          indexes: { tag: tagsOf },
          freeze: true,
        });
        const see = ({ type, object }: Happening): void => (type === 'put' ? store.put(object) : store.remove(object));
        // Any of them, any number of times; then those that are left, so that each was seen once at least.
        const early = numbers.map((number) => happenings[number % Math.max(1, happenings.length)]);
        for (const happening of early) if (happening !== undefined) see(happening);
        for (const happening of happenings) if (!early.includes(happening)) see(happening);
        expect(shown(store.list())).to.deep.equal(endOf(history));
        for (const name of ['a', 'b', 'c'])
          expect(shown(store.byIndex('tag', name))).to.deep.equal(shown(store.list().filter(isNamed(name))));
      }),
      { numRuns: 2000 },
    );
  });

  it('after a LIST of any moment and the events since', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.nat(), fc.nat(), (steps, seenUpTo, listedAt) => {
        const { happenings, end } = play(steps);
        const [first, second] = [seenUpTo % (steps.length + 1), listedAt % (steps.length + 1)];
        const [stop, listed] = [Math.min(first, second), Math.max(first, second)];
        const store = createStore({ kind: KINDS.orb, clock: createFakeClock(0), logger: recordingLogger() });
        const see = ({ type, object }: Happening): void => (type === 'put' ? store.put(object) : store.remove(object));
        for (const happening of happenings) if (versionOf(happening) < stop + 95) see(happening);
        const then = play(steps.slice(0, listed)).happenings;
        const last = new Map(then.map((happening) => [happening.object.metadata.name, happening]));
        const objects = [...last.values()].filter(({ type }) => type === 'put').map(({ object }) => object);
        store.replace({ objects, resourceVersion: String(listed + 94), floor: store.highest() }, false);
        for (const happening of happenings) if (versionOf(happening) >= listed + 95) see(happening);
        expect(shown(store.list())).to.deep.equal(endOf({ happenings, end }));
      }),
    );
  });
});

const isNamed =
  (name: string) =>
  ({ metadata }: KubeObject): boolean =>
    metadata.name === name;
