import { expect } from 'chai';
import fc from 'fast-check';
import { LOADED_BY_LABEL } from '../../../../core/loader/own-orb.ts';
import {
  planLoad,
  settledBy,
  type LoaderPlan,
  type LoaderSnapshot,
  type Settled,
} from '../../../../core/loader/plan.ts';
import type { CheckedFile } from '../../../../core/loader/check-file.ts';
import type { KubeObject, ObjectMeta } from '../../../../core/reconcile/kube-object.ts';
import { appliedOrb, fileOf, loadedOrb, manifestOf } from './a-folder.ts';

const a = manifestOf('acme.a');
const b = manifestOf('acme.b');

const plan = (
  files: readonly CheckedFile[],
  orbs: readonly KubeObject[],
  settled: ReadonlyMap<string, Settled> = new Map(),
): LoaderPlan => planLoad({ files, orbs, settled });

/** What a plan does and says, in short. */
const brief = ({ applies, removes, reports }: LoaderPlan): readonly string[] => [
  ...applies.map(({ name, file, existing }) => `${existing === undefined ? 'create' : 'change'} ${name} of ${file}`),
  ...removes.map(({ name, uid }) => `remove ${name} ${uid}`),
  ...reports.map(({ file, code }) => `${file}: ${code}`),
];

const changed = (orb: KubeObject, metadata: Partial<ObjectMeta>, spec: object = {}): KubeObject => ({
  ...orb,
  metadata: { ...orb.metadata, ...metadata },
  spec: { ...(typeof orb.spec === 'object' ? orb.spec : {}), ...spec },
});

const own = loadedOrb('a.yaml', a);
const foreign = changed(own, { labels: {} });
// A file and its Orb that are as they should be.
const other = fileOf('c.yaml', [manifestOf('acme.c')]);
const otherOrb = loadedOrb('c.yaml', manifestOf('acme.c'));

const rows: readonly (readonly [string, readonly CheckedFile[], readonly KubeObject[], readonly string[]])[] = [
  ['makes an Orb of a new file', [fileOf('a.yaml', [a])], [], ['create acme.a of a.yaml']],
  ['leaves an Orb that is as its file says', [fileOf('a.yaml', [a])], [own], []],
  [
    'changes an Orb when its file changes',
    [fileOf('a.yaml', [manifestOf('acme.a', 'two')])],
    [own],
    ['change acme.a of a.yaml'],
  ],
  [
    'mends an Orb that somebody edited',
    [fileOf('a.yaml', [a])],
    [changed(own, {}, { description: 'x' })],
    ['change acme.a of a.yaml'],
  ],
  ['leaves the pin alone', [fileOf('a.yaml', [a])], [changed(own, {}, { pin: { provider: 'p' } })], []],
  ['notes that a manifest moved to another file', [fileOf('b.yaml', [a])], [own], ['change acme.a of b.yaml']],
  ['removes an Orb whose file is gone', [other], [otherOrb, own], ['remove acme.a uid-acme.a']],
  [
    'removes an Orb that its file holds no more',
    [fileOf('a.yaml', [b])],
    [own, loadedOrb('a.yaml', b)],
    ['remove acme.a uid-acme.a'],
  ],
  ['makes the new version before the old one goes', [fileOf('a.yaml', [b])], [own], ['create acme.b of a.yaml']],
  ['removes no Orb that somebody else applied', [other], [otherOrb, foreign], []],
  ['overwrites no Orb that somebody else applied', [fileOf('a.yaml', [a])], [foreign], ['a.yaml: loader-conflict']],
  [
    'takes a label of another value for somebody else’s',
    [fileOf('a.yaml', [a])],
    [changed(own, { labels: { [LOADED_BY_LABEL]: 'another' } })],
    ['a.yaml: loader-conflict'],
  ],
  [
    'leaves the Orbs of a file that can’t be read',
    [fileOf('a.yaml', [], { broken: true })],
    [own],
    ['a.yaml: loader-removal-held'],
  ],
  [
    'removes the Orbs of other files meanwhile, when the broken one is known to mean another Orb',
    [fileOf('b.yaml', [], { broken: true })],
    [own, loadedOrb('b.yaml', b)],
    ['remove acme.a uid-acme.a', 'b.yaml: loader-removal-held'],
  ],
  [
    'keeps the old version of a file whose new one is not valid',
    [fileOf('a.yaml', [], { claims: ['acme.b'] }), other],
    [own, otherOrb],
    ['a.yaml: loader-removal-held'],
  ],
  [
    'keeps the old version when the new one was given to another file too',
    [fileOf('0.yaml', [manifestOf('acme.b')]), fileOf('a.yaml', [b])],
    [own, loadedOrb('0.yaml', b)],
    ['a.yaml: loader-duplicate', 'a.yaml: loader-removal-held'],
  ],
  [
    'keeps the old version when somebody else applied the new one',
    [fileOf('a.yaml', [b])],
    [own, changed(loadedOrb('a.yaml', b), { labels: {} })],
    ['a.yaml: loader-conflict', 'a.yaml: loader-removal-held'],
  ],
  [
    'keeps every Orb while nobody knows which one a broken file means: it may be a renamed one',
    [fileOf('b.yaml', [], { broken: true }), other],
    [own, otherOrb],
    ['b.yaml: loader-removal-held'],
  ],
  [
    'keeps every Orb while a file of another name means one that there is not: it may be the next version',
    [fileOf('b.yaml', [], { claims: ['acme.b'] }), other],
    [own, otherOrb],
    ['b.yaml: loader-removal-held'],
  ],
  [
    'keeps every Orb while a file whose own Orb is there holds something unknown beside it',
    [fileOf('c.yaml', [manifestOf('acme.c')], { claims: ['acme.b'] })],
    [own, loadedOrb('c.yaml', manifestOf('acme.c'))],
    ['c.yaml: loader-removal-held'],
  ],
  [
    'removes the Orbs of other files while a file is not valid that means an Orb that there is',
    [fileOf('c.yaml', [], { claims: ['acme.c'] })],
    [own, loadedOrb('c.yaml', manifestOf('acme.c'))],
    ['remove acme.a uid-acme.a'],
  ],
  ['leaves an Orb whose manifest became invalid', [fileOf('b.yaml', [], { claims: ['acme.a'] })], [own], []],
  [
    'uses the first of two files with one id, and names the other',
    [fileOf('a.yaml', [a]), fileOf('b.yaml', [a])],
    [],
    ['create acme.a of a.yaml', 'b.yaml: loader-duplicate'],
  ],
  [
    'stays with the file that an Orb came from when another one takes its id',
    [fileOf('0.yaml', [manifestOf('acme.a', 'two')]), fileOf('a.yaml', [a])],
    [own],
    ['0.yaml: loader-duplicate'],
  ],
  [
    'uses the first of two documents of one file with one id',
    [fileOf('a.yaml', [a, manifestOf('acme.a', 'two')])],
    [own],
    ['a.yaml: loader-duplicate'],
  ],
  [
    'waits for an Orb that is being deleted',
    [fileOf('a.yaml', [manifestOf('acme.a', 'two')])],
    [changed(own, { deletionTimestamp: 'x' })],
    [],
  ],
  ['removes no Orb twice', [other], [otherOrb, changed(own, { deletionTimestamp: 'x' })], []],
  [
    'mends an Orb of any stored shape',
    [fileOf('a.yaml', [a])],
    [{ ...own, spec: 'nonsense' }],
    ['change acme.a of a.yaml'],
  ],
  [
    'does the one thing beside the other',
    [fileOf('a.yaml', [b, a]), fileOf('c.yaml', [], { broken: true })],
    [
      loadedOrb('c.yaml', manifestOf('acme.c')),
      loadedOrb('a.yaml', b),
      loadedOrb('d.yaml', manifestOf('acme.d')),
      foreign,
    ],
    ['remove acme.d uid-acme.d', 'a.yaml: loader-conflict', 'c.yaml: loader-removal-held'],
  ],
];

/** The state after a plan was carried out. */
function afterwards(start: Pick<LoaderSnapshot, 'files' | 'orbs'>, done: LoaderPlan): LoaderSnapshot {
  const stored = new Map(start.orbs.map((one) => [one.metadata.name, one] as const));
  const settled = new Map(done.settled);
  for (const step of done.applies) {
    const written = appliedOrb(step);
    stored.set(step.name, written);
    settled.set(step.name, settledBy(written, step.manifest));
  }
  for (const step of done.removes) stored.delete(step.name);
  return { files: start.files, orbs: [...stored.values()], settled };
}

describe('planLoad', () => {
  for (const [what, files, orbs, expected] of rows)
    it(what, () => {
      expect(brief(plan(files, orbs))).to.deep.equal(expected);
    });

  it('reports what is wrong with a file, with its place', () => {
    const finding = { code: 'invalid-yaml', severity: 'error', pointer: '/a', detail: 'Write b.', line: 3 } as const;
    const { reports } = plan([fileOf('a.yaml', [], { broken: true, findings: [finding] })], []);
    expect(reports).to.deep.equal([{ file: 'a.yaml', ...finding }]);
  });

  it('reports a field that somebody else added, and writes no second time for it', () => {
    const orb = changed(own, { generation: 4 }, { x_other: 1 });
    const files = [fileOf('a.yaml', [a])];
    const first = plan(files, [orb]);
    expect(brief(first)).to.deep.equal(['change acme.a of a.yaml']);
    const second = plan(files, [orb], new Map([[a.name, settledBy(orb, a)]]));
    expect(brief(second)).to.deep.equal(['a.yaml: loader-foreign-fields']);
    expect(brief(plan(files, [orb], second.settled))).to.deep.equal(['a.yaml: loader-foreign-fields']);
    expect(brief(plan(files, [changed(orb, { generation: 5 })], second.settled))).to.deep.equal([
      'change acme.a of a.yaml',
    ]);
    expect(brief(plan([fileOf('a.yaml', [manifestOf('acme.a', 'two')])], [orb], second.settled))).to.deep.equal([
      'change acme.a of a.yaml',
    ]);
  });

  it('takes a folder without any file for one that is not there, as long as Orbs came of it', () => {
    const { removes, emptied } = plan([], [own, foreign]);
    expect({ removes, emptied }).to.deep.equal({ removes: [], emptied: true });
    const goes = changed(own, { deletionTimestamp: 'x' });
    expect([plan([], [foreign, goes]).emptied, plan([other], [own]).emptied]).to.deep.equal([false, false]);
  });

  it('names the Orbs that stay, the file that they stay for, and what to do', () => {
    const files = [fileOf('b.yaml', [], { broken: true }), fileOf('c.yaml', [], { broken: true })];
    const orbs = ['acme.x', 'acme.y'].map((one) => loadedOrb(`${one}.yaml`, manifestOf(one)));
    expect(plan(files, orbs).reports).to.deep.equal([
      {
        file: 'b.yaml',
        code: 'loader-removal-held',
        severity: 'warning',
        pointer: '',
        detail:
          'Not deleted: acme.x, acme.y. No valid manifest defines them any more, but this file has errors and may define them. Correct this file, or delete the Orbs with kubectl.',
      },
    ]);
  });

  const name = fc.constantFrom('acme.a', 'acme.b', 'acme.c');
  const manifest = fc.tuple(name, fc.constantFrom('one', 'two')).map(([id, text]) => manifestOf(id, text));
  const file = (path: string): fc.Arbitrary<CheckedFile> =>
    fc
      .record({
        manifests: fc.array(manifest, { maxLength: 3 }),
        claims: fc.array(name, { maxLength: 1 }),
        broken: fc.boolean(),
      })
      .map(({ manifests, claims, broken }) => fileOf(path, manifests, { claims, broken }));
  const folder = fc
    .tuple(fc.option(file('a.yaml')), fc.option(file('b.yaml')), fc.option(file('c.yaml')))
    .map((files) => files.filter((one) => one !== null));
  const orb = fc
    .record({
      manifest,
      from: fc.constantFrom('a.yaml', 'b.yaml', 'gone.yaml'),
      ours: fc.boolean(),
      spec: fc.constantFrom({}, { x_other: 1 }, { pin: {} }, { description: 'edited' }),
    })
    .map((of) => changed(loadedOrb(of.from, of.manifest), of.ours ? {} : { labels: {} }, of.spec));
  const orbs = fc.uniqueArray(orb, { maxLength: 3, selector: ({ metadata }) => metadata.name });
  const snapshot = fc.record({ files: folder, orbs });

  it('has nothing to do on its own result: new Orbs first, then what they replace', () => {
    fc.assert(
      fc.property(snapshot, (start) => {
        const second = afterwards(start, plan(start.files, start.orbs));
        const middle = planLoad(second);
        const last = planLoad(afterwards(second, middle));
        expect([...middle.applies, ...last.applies, ...last.removes]).to.deep.equal([]);
      }),
    );
  });

  it('never touches an Orb that somebody else applied', () => {
    fc.assert(
      fc.property(snapshot, (start) => {
        const { applies, removes } = plan(start.files, start.orbs);
        const others = start.orbs.filter(({ metadata }) => metadata.labels?.[LOADED_BY_LABEL] === undefined);
        const touched = new Set([...applies, ...removes].map((step) => step.name));
        expect(others.filter(({ metadata }) => touched.has(metadata.name))).to.deep.equal([]);
      }),
    );
  });

  it('never removes an Orb of a file that is there and was not taken over whole', () => {
    fc.assert(
      fc.property(snapshot, (start) => {
        const { removes, settled } = plan(start.files, start.orbs);
        const open = start.files
          .filter((one) => one.broken || one.claims.length > 0 || one.manifests.some((two) => !settled.has(two.name)))
          .map((one) => one.file);
        const kept = start.orbs.filter(({ metadata }) =>
          open.includes(metadata.annotations?.['orbs.dev/loaded-from'] ?? ''),
        );
        const removed = removes.map((step) => step.name);
        expect(kept.filter(({ metadata }) => removed.includes(metadata.name))).to.deep.equal([]);
      }),
    );
  });
});
