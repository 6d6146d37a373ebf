import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readFolder, type ReadFile } from '../../../../adapters/manifest-folder/read-folder.ts';

const ORB = 'orb_id: t.a@1.0.0\nprovider: p\nexecution: {}\n';

describe('readFolder', () => {
  const root = mkdtempSync(join(tmpdir(), 'orb-folder-'));
  after(() => rmSync(root, { recursive: true }));
  let count = 0;

  async function read(files: Readonly<Record<string, string | Buffer>>): Promise<readonly ReadFile[]> {
    count += 1;
    const folder = join(root, String(count));
    mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return readFolder(folder);
  }

  it('reads JSON and YAML in the order of their names, and nothing else', async () => {
    const files = await read({ 'c.yml': ORB, 'a.json': '{}', 'b.yaml': ORB, 'd.txt': ORB, '.e.yaml': ORB, f: ORB });
    expect(files.map(({ path }) => basename(path))).to.deep.equal(['a.json', 'b.yaml', 'c.yml']);
  });

  it('leaves suites beside the manifests alone', async () => {
    const files = await read({ 'a.yaml': ORB, 'a.orbtest.json': '{"format":"orbtest/1"}', '.orbtest.json': '{}' });
    expect(files.map(({ path }) => basename(path))).to.deep.equal(['a.yaml']);
  });

  it('reads no folder below, but follows links to files', async () => {
    await read({});
    const folder = join(root, String(count));
    mkdirSync(join(folder, 'below.yaml'));
    mkdirSync(join(folder, '..data'));
    writeFileSync(join(folder, '..data', 'a.yaml'), ORB);
    symlinkSync(join('..data', 'a.yaml'), join(folder, 'a.yaml'));
    symlinkSync('nowhere', join(folder, 'dangling.yaml'));
    const files = await readFolder(folder);
    expect(files.map(({ path, documents }) => [basename(path), documents.length])).to.deep.equal([['a.yaml', 1]]);
  });

  it('reads the good documents of a file beside a bad one', async () => {
    const [file] = await read({ 'a.yaml': `${ORB}---\nkind: Nothing\n---\n${ORB.replace('t.a', 't.b')}` });
    expect(file?.documents.map(({ resource }) => resource.name)).to.deep.equal(['t.a-1.0.0', 't.b-1.0.0']);
    expect(file?.broken).to.equal(true);
    expect(file?.findings.map(({ severity, line }) => [severity, line])).to.deep.equal([['error', 5]]);
  });

  const broken: readonly (readonly [string, string, string | Buffer, string])[] = [
    ['bytes that are no UTF-8', 'a.yaml', Buffer.from([0xff, 0xfe, 0]), 'not-utf8'],
    ['JSON that ends too early', 'a.json', '{"orb_id":', 'invalid-json'],
    ['a word that kubectl reads as a boolean', 'a.yaml', 'orb_id: t.a@1.0.0\nprovider: yes\n', 'yaml-ambiguous'],
    ['a file without a byte: a write may have been cut short', 'a.yaml', '', 'file-empty'],
    ['a file that is too large', 'a.yaml', Buffer.alloc(4 * 1024 * 1024 + 1, '#'), 'file-too-large'],
  ];
  for (const [why, name, content, code] of broken) {
    it(`reports ${why}`, async () => {
      const [file] = await read({ [name]: content });
      expect(file?.findings[0]?.code).to.equal(code);
      expect(file?.broken).to.equal(true);
      expect(file?.documents).to.deep.equal([]);
    });
  }

  it('gives the same version to the same bytes, and another to others', async () => {
    const [one] = await read({ 'a.yaml': ORB });
    const [same] = await read({ 'a.yaml': ORB });
    const [other] = await read({ 'a.yaml': `${ORB}# more\n` });
    expect(one?.version).to.equal(same?.version);
    expect(one?.version).not.to.equal(other?.version);
  });

  it('does not read a file again that has not changed, and does one that has', async () => {
    const before = await read({ 'a.yaml': ORB, 'b.yaml': ORB });
    const folder = join(root, String(count));
    writeFileSync(join(folder, 'b.yaml'), `${ORB}# more\n`);
    const after = await readFolder(folder, before);
    expect([after[0] === before[0], after[1] === before[1]]).to.deep.equal([true, false]);
    expect(after[1]?.version).not.to.equal(before[1]?.version);
  });

  it('takes a file of comments for one that means nothing', async () => {
    const [file] = await read({ 'a.yaml': '# nothing yet\n' });
    expect(file).to.deep.include({ documents: [], findings: [], broken: false });
  });
});
