import { expect } from 'chai';
import fc from 'fast-check';
import { ANY_PIN, objectKey, pinAnnotationOf, migratedAnnotations } from '../../../../core/files/file-object.ts';
import { planFiles, type ApplyStep, type FilesPlan, type FolderFile } from '../../../../core/files/plan-files.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Pin } from '../../../../crds/orb.ts';
import {
  aFile,
  aPin,
  brokenFile,
  objectFrom,
  orbDocument,
  orbisetDocument,
  secretDocument,
} from '../../../support/file-documents.ts';

const ID = 'swp_01234567-0123-0123-0123-0123456789ab';
const theDefault = objectFrom('', orbisetDocument('default'));
const applied = ({ apply }: FilesPlan): readonly string[] =>
  apply.map(({ resource, file }) => `${objectKey(resource)} of ${file}`);
const removed = ({ remove }: FilesPlan): readonly string[] =>
  remove.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const inObject = (pin: Pin | undefined): object => (pin === undefined ? { pin: undefined } : { pin });

/** A plan over files and objects beside the Orbiset `default`. */
const plan = (files: readonly FolderFile[], ...objects: readonly KubeObject[]): FilesPlan =>
  planFiles(files, [theDefault, ...objects]);

describe('planFiles', () => {
  it('has nothing to do for files that are as they were applied', () => {
    const orb = orbDocument('a', aPin('main'));
    const files = [aFile('a.yaml', orb), aFile('b.yaml', orbisetDocument('default', { suspended: true }))];
    const objects = [objectFrom('a.yaml', orb), objectFrom('b.yaml', orbisetDocument('default', { suspended: true }))];
    expect(planFiles(files, objects)).to.deep.equal({ apply: [], remove: [], duplicates: [] });
  });

  it('applies Secrets first, then Orbisets, then Orbs, each in the order of the files', () => {
    const files = [
      aFile('a.yaml', orbDocument('a'), orbisetDocument('one'), secretDocument('s', 'x')),
      aFile('b.yaml', orbisetDocument('two'), orbDocument('b'), secretDocument('t', 'y')),
    ];
    expect(applied(plan(files))).to.deep.equal([
      'Secret default/s of a.yaml',
      'Secret default/t of b.yaml',
      'Orbiset default/one of a.yaml',
      'Orbiset default/two of b.yaml',
      'Orb default/a of a.yaml',
      'Orb default/b of b.yaml',
    ]);
  });

  it('removes what no file holds, and leaves what never stood in one', () => {
    const foreign: KubeObject = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'foreign' } };
    const found = plan([], objectFrom('a.yaml', orbDocument('a')), foreign);
    expect([applied(found), removed(found)]).to.deep.equal([[], ['Orb a']]);
  });

  it('takes an object that moves to another file along, and removes nothing', () => {
    const orb = orbDocument('a', aPin('main'));
    const found = plan([aFile('z.yaml', orb)], objectFrom('a.yaml', orb));
    expect([applied(found), removed(found)]).to.deep.equal([['Orb default/a of z.yaml'], []]);
    expect(found.apply.map(({ pin }) => pin)).to.deep.equal(['keep']);
  });

  describe('of two documents of one name', () => {
    const [one, other] = [orbDocument('a', undefined, { description: '1' }), orbDocument('a')];

    it('uses that of the first file, and names the other', () => {
      const found = plan([aFile('a.yaml', one), aFile('b.yaml', other), aFile('c.yaml', other)]);
      expect(found.apply.map(({ resource }) => resource)).to.deep.equal([one]);
      expect(found.duplicates).to.deep.equal([
        { file: 'b.yaml', key: 'Orb default/a', used: 'a.yaml' },
        { file: 'c.yaml', key: 'Orb default/a', used: 'a.yaml' },
      ]);
    });

    it('uses the first one of the same file', () => {
      const found = plan([aFile('a.yaml', one, other)]);
      expect(found.apply.map(({ resource }) => resource)).to.deep.equal([one]);
      expect(found.duplicates).to.deep.equal([{ file: 'a.yaml', key: 'Orb default/a', used: 'a.yaml' }]);
    });

    it('leaves the object to the first file while that can not be read whole', () => {
      const found = plan([brokenFile('a.yaml'), aFile('b.yaml', other)], objectFrom('a.yaml', one));
      expect([applied(found), removed(found)]).to.deep.equal([[], []]);
      expect(found.duplicates).to.deep.equal([{ file: 'b.yaml', key: 'Orb default/a', used: 'a.yaml' }]);
    });

    it('uses that of the first file also when a later one, which held the object, can not be read whole', () => {
      const found = plan([aFile('a.yaml', one), brokenFile('b.yaml')], objectFrom('b.yaml', other));
      expect([applied(found), found.duplicates]).to.deep.equal([['Orb default/a of a.yaml'], []]);
    });

    it('uses the other one when the first goes', () => {
      const found = plan([aFile('b.yaml', other)], objectFrom('a.yaml', one));
      expect([applied(found), removed(found)]).to.deep.equal([['Orb default/a of b.yaml'], []]);
    });

    it('does not mix kinds or namespaces up', () => {
      const files = [aFile('a.yaml', one, orbisetDocument('a'), { ...one, namespace: 'acme' })];
      expect(plan(files).duplicates).to.deep.equal([]);
    });
  });

  describe('of a file that can not be read whole', () => {
    it('keeps what it held, applies what can be read, and goes on with the others', () => {
      const files = [brokenFile('a.yaml', orbDocument('new')), aFile('b.yaml')];
      const found = plan(files, objectFrom('a.yaml', orbDocument('kept')), objectFrom('b.yaml', orbDocument('gone')));
      expect([applied(found), removed(found)]).to.deep.equal([['Orb default/new of a.yaml'], ['Orb gone']]);
    });

    it('removes what it does not hold once it is mended', () => {
      const found = plan([aFile('a.yaml')], objectFrom('a.yaml', orbDocument('kept')));
      expect(removed(found)).to.deep.equal(['Orb kept']);
    });
  });

  describe('the Orbiset default', () => {
    it('is made when no file has it', () => {
      expect(planFiles([], []).apply).to.deep.equal([
        { file: '', resource: orbisetDocument('default'), pin: 'keep' } satisfies ApplyStep,
      ]);
    });

    it('stays as it was made, and is not removed', () => {
      expect(plan([])).to.deep.equal({ apply: [], remove: [], duplicates: [] });
    });

    it('becomes that of a file, and returns when that goes', () => {
      const document = orbisetDocument('default', { suspended: true });
      expect(applied(plan([aFile('a.yaml', document)]))).to.deep.equal(['Orbiset default/default of a.yaml']);
      const found = planFiles([], [objectFrom('a.yaml', document)]);
      expect([applied(found), removed(found)]).to.deep.equal([['Orbiset default/default of '], []]);
    });

    it('stays that of a file that can not be read', () => {
      const kept = objectFrom('a.yaml', orbisetDocument('default', { suspended: true }));
      expect(planFiles([brokenFile('a.yaml')], [kept])).to.deep.equal({ apply: [], remove: [], duplicates: [] });
    });

    it('is made beside a file that could never be read', () => {
      expect(applied(planFiles([brokenFile('a.yaml')], []))).to.deep.equal(['Orbiset default/default of ']);
    });
  });

  describe('of pins', () => {
    const [one, two] = [aPin('main'), aPin('other')];
    const named = aPin('main', { id: ID });
    const rows: readonly (readonly [string, Pin | undefined, Pin | undefined, object, ApplyStep['pin'] | 'nothing'])[] =
      [
        ['keeps one that is there', one, one, inObject(one), 'nothing'],
        ['keeps one of the API over that of the file', one, one, inObject(two), 'nothing'],
        ['lets one that was removed stay away', one, one, inObject(undefined), 'nothing'],
        ['sets one that is new in the file', undefined, one, inObject(undefined), 'set'],
        ['sets one that is new in the file over that of the API', undefined, one, inObject(two), 'set'],
        ['sets another one in the file over that of the API', one, two, inObject(named), 'set'],
        ['sets another one after the removal of the one before', one, two, inObject(undefined), 'set'],
        ['drops one that goes from the file', one, undefined, inObject(one), 'drop'],
        ['drops one with an id that goes from the file', named, undefined, inObject(named), 'drop'],
        ['leaves one of the API when that of the file goes', one, undefined, inObject(two), 'note'],
        ['notes that one which was removed went from the file', one, undefined, inObject(undefined), 'note'],
        ['takes another end for another pin', one, aPin('main', { expires_at: '2026-07-01T00:00:00Z' }), {}, 'set'],
        ['sets one that was edited under its id', named, aPin('other', { id: ID }), inObject(named), 'set'],
        [
          'sets one that was edited under its id over that of the API',
          named,
          aPin('other', { id: ID }),
          inObject(two),
          'set',
        ],
      ];
    for (const [why, before, now, spec, wanted] of rows)
      it(why, () => {
        const object = objectFrom('a.yaml', orbDocument('a', before), spec);
        const steps = plan([aFile('a.yaml', orbDocument('a', now))], object).apply.map(({ pin }) => pin);
        expect(steps).to.deep.equal(wanted === 'nothing' ? [] : [wanted]);
      });

    it('leaves the pin alone for an edit of anything else', () => {
      const edited = orbDocument('a', one, { description: 'another' });
      const object = objectFrom('a.yaml', orbDocument('a', one), inObject(two));
      expect(plan([aFile('a.yaml', edited)], object).apply.map(({ pin }) => pin)).to.deep.equal(['keep']);
    });

    it('knows a removed pin of an older data folder by its id', () => {
      const taken = { ...migratedAnnotations('a.yaml'), ...pinAnnotationOf(ID) };
      const { metadata, ...object } = objectFrom('a.yaml', orbDocument('a'));
      const orb = { ...object, metadata: { ...metadata, annotations: taken } };
      expect(plan([aFile('a.yaml', orbDocument('a', named))], orb).apply.map(({ pin }) => pin)).to.deep.equal(['keep']);
    });

    it('sets the pin of a new object', () => {
      expect(plan([aFile('a.yaml', orbDocument('a', one))]).apply.map(({ pin }) => pin)).to.deep.equal(['set']);
    });

    for (const [why, pin] of [
      ['takes whatever pin a file has now for the one that it had', one],
      ['takes that a file has no pin now for what it was', undefined],
    ] as const)
      it(`${why}, after ANY_PIN`, () => {
        const taken = { ...migratedAnnotations('a.yaml'), ...pinAnnotationOf(ANY_PIN) };
        const { metadata, ...object } = objectFrom('a.yaml', orbDocument('a'), inObject(two));
        const orb = { ...object, metadata: { ...metadata, annotations: taken } };
        const steps = plan([aFile('a.yaml', orbDocument('a', pin))], orb).apply.map((step) => step.pin);
        expect(steps).to.deep.equal(['note']);
      });
  });

  it('applies a Secret at every scan: nothing is kept that could tell whether it changed', () => {
    const secret = secretDocument('s', 'x');
    expect(applied(plan([aFile('a.yaml', secret)], objectFrom('a.yaml', secret)))).to.have.length(1);
  });

  it('names each object once, whatever the files hold: used, duplicate, kept or removed', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'default');
    const resource = fc.oneof(
      names.map((name) => orbDocument(name)),
      names.map((name) => orbisetDocument(name)),
    );
    const file = fc.record({ resources: fc.array(resource, { maxLength: 4 }), broken: fc.boolean() });
    const there = fc.uniqueArray(fc.tuple(fc.nat(3), resource), { selector: ([, known]) => objectKey(known) });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 4 }), there, (given, known) => {
        const files = given.map((content, index) => ({ file: `${index}.yaml`, ...content }));
        const objects = known.map(([index, held]) => objectFrom(`${index}.yaml`, held));
        const found = planFiles(files, objects);
        const documents = new Set(files.flatMap(({ resources }) => resources.map(objectKey)));
        const gone = new Set(found.remove.map(({ kind, metadata }) => `${kind} default/${metadata.name}`));
        const steps = found.apply.map((step) => objectKey(step.resource));
        expect(new Set(steps).size).to.equal(steps.length);
        for (const key of gone) expect(documents.has(key)).to.equal(false);
        for (const key of steps) expect(gone.has(key)).to.equal(false);
        // Whatever stood in a file that can't be read whole stays.
        const broken = new Set(files.flatMap((one) => (one.broken ? [one.file] : [])));
        for (const [index, held] of known)
          if (broken.has(`${index}.yaml`)) expect(gone.has(objectKey(held))).to.equal(false);
      }),
    );
  });
});
