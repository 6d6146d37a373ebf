import { expect } from 'chai';
import { checkDocument } from '../../../../core/manifest/documents.ts';
import { parseDocuments } from '../../../../core/manifest/parse-text.ts';
import type { FoundDocument, ReadFile } from '../../../../adapters/manifest-folder/read-folder.ts';
import { ResourceSet } from '../../../../standalone/resources/resource-set.ts';

const documentOf = (orbId: string): FoundDocument => {
  const [parsed] = parseDocuments(JSON.stringify({ orb_id: orbId, provider: 'p', execution: {} }), 'json');
  const checked = parsed?.ok === true ? checkDocument(parsed.value) : undefined;
  if (parsed === undefined || checked?.ok !== true) throw new TypeError(orbId);
  return { resource: checked.value, withPlaces: parsed.withPlaces };
};

const aFile = (path: string, version: string, orbIds: readonly string[], broken = false): ReadFile => ({
  path,
  version,
  stamp: version,
  documents: orbIds.map(documentOf),
  findings: broken ? [{ code: 'invalid-yaml', pointer: '', detail: 'It ends too early.', severity: 'error' }] : [],
  broken,
});

const A = 'Orb default/t.a-1.0.0';
const B = 'Orb default/t.b-1.0.0';

describe('ResourceSet', () => {
  it('holds what the files hold, each with its file', () => {
    const { resources } = new ResourceSet().update([aFile('1', 'v1', ['t.a@1.0.0']), aFile('2', 'v1', ['t.b@1.0.0'])]);
    expect([...resources].map(([key, { file }]) => [key, file])).to.deep.equal([
      [A, '1'],
      [B, '2'],
    ]);
  });

  it('gives the same object as long as the content is the same', () => {
    const set = new ResourceSet();
    const first = set.update([aFile('1', 'v1', ['t.a@1.0.0'])]).resources.get(A)?.document;
    expect(set.update([aFile('1', 'v1', ['t.a@1.0.0'])]).resources.get(A)?.document).to.equal(first);
    expect(set.update([aFile('1', 'v2', ['t.a@1.0.0'])]).resources.get(A)?.document).not.to.equal(first);
  });

  it('keeps what a file held while it can not be read, also over several broken versions', () => {
    const set = new ResourceSet();
    set.update([aFile('1', 'v1', ['t.a@1.0.0', 't.b@1.0.0'])]);
    expect([...set.update([aFile('1', 'v2', ['t.b@1.0.0'], true)]).resources.keys()]).to.have.members([A, B]);
    expect([...set.update([aFile('1', 'v3', [], true)]).resources.keys()]).to.have.members([A, B]);
  });

  it('lets go of a document that a readable file no longer holds, and of a file that is gone', () => {
    const set = new ResourceSet();
    set.update([aFile('1', 'v1', ['t.a@1.0.0', 't.b@1.0.0'])]);
    expect([...set.update([aFile('1', 'v2', ['t.b@1.0.0'])]).resources.keys()]).to.deep.equal([B]);
    expect(set.update([]).resources.size).to.equal(0);
    expect(set.update([aFile('1', 'v3', [], true)]).resources.size).to.equal(0);
  });

  it('reports a version once', () => {
    const set = new ResourceSet();
    const look = (version: string): number => set.update([aFile('1', version, [], true)]).reports.length;
    expect([look('v1'), look('v1'), look('v2'), look('v2')]).to.deep.equal([1, 0, 1, 0]);
  });

  it('uses the first of two equal resources, and says in which file it stands', () => {
    const { resources, reports } = new ResourceSet().update([
      aFile('1', 'v1', ['t.a@1.0.0']),
      aFile('2', 'v1', ['t.a@1.0.0']),
    ]);
    expect(resources.get(A)?.file).to.equal('1');
    expect(reports.map(({ file, findings }) => [file, findings[0]?.code, findings[0]?.detail])).to.deep.equal([
      ['2', 'resource-duplicate', `${A} stands in 1 too; that one is used.`],
    ]);
  });

  it('names files that could never be read since the start, until they are', () => {
    const set = new ResourceSet();
    const unread = (file: ReadFile): readonly string[] => [...set.update([file]).unread];
    expect(unread(aFile('1', 'v1', [], true))).to.deep.equal(['1']);
    expect(unread(aFile('1', 'v2', [], true))).to.deep.equal(['1']);
    expect(unread(aFile('1', 'v3', ['t.a@1.0.0']))).to.deep.equal([]);
    expect(unread(aFile('1', 'v4', [], true))).to.deep.equal([]);
  });
});
