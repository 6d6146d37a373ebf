import { expect } from 'chai';
import fc from 'fast-check';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVaultFile, VaultFileError, writeVaultFile } from '../../../../adapters/vault-file/vault-file.ts';
import { vaultPath } from '../../../../adapters/vault-file/vault-path.ts';

const entry = (name: string, value = 'a-value', hosts: readonly string[] = ['a.example']) => ({
  name,
  value: Buffer.from(value),
  hosts,
});

describe('vault file', () => {
  let folder = '';
  const path = (): string => vaultPath(folder, 'default', 'default');
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'orb-vault-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('has no entries before it is written', async () => expect(await readVaultFile(path())).to.deep.equal([]));

  it('reads back what was written, byte for byte, sorted by name', async () => {
    const name = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);
    const hosts = fc.array(fc.constantFrom('a.example', '*.b.example', '*'), { minLength: 1, maxLength: 3 });
    const one = fc.record({
      name,
      value: fc.uint8Array({ minLength: 1, maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      hosts,
    });
    const entries = fc.uniqueArray(one, { selector: (some) => some.name, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(entries, async (written) => {
        await writeVaultFile(path(), written);
        expect(await readVaultFile(path())).to.deep.equal(written.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
      }),
      { numRuns: 50 },
    );
  });

  it('is for its owner alone, in a folder for its owner alone, with nothing left beside it', async () => {
    await writeVaultFile(path(), [entry('K')]);
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
    expect(statSync(join(folder, 'vault')).mode & 0o777).to.equal(0o700);
    expect(readdirSync(join(folder, 'vault'))).to.deep.equal(['default.default.yaml']);
  });

  const unwritable: readonly [string, Parameters<typeof writeVaultFile>[1], string][] = [
    ['an empty value', [entry('K', '')], '/entries/0/value_b64 is empty or larger than 1 MiB'],
    [
      'a value over 1 MiB',
      [entry('K', 'x'.repeat(1024 * 1024 + 1))],
      '/entries/0/value_b64 is empty or larger than 1 MiB',
    ],
    ['a name with a blank', [entry('K K')], '/entries/0/name is no name of an entry'],
    ['no host', [entry('K', 'a-value', [])], '/entries/0/hosts is not a list of hosts'],
    ['an entry twice', [entry('K'), entry('K')], '/entries names an entry twice'],
  ];
  for (const [why, entries, message] of unwritable) {
    it(`does not write ${why}, and says so`, async () => {
      const error: unknown = await writeVaultFile(path(), entries).catch((fault: unknown) => fault);
      expect(error).to.be.instanceOf(VaultFileError).and.to.include({ message });
      expect(existsSync(path())).to.equal(false);
    });
  }

  const unreadable: readonly [string, string, string][] = [
    ['text that is no YAML', '{hunter2', 'it is not YAML'],
    ['a list', '- hunter2', 'it is not {entries: […]}'],
    ['another member', 'entries: []\nhunter2: 1', 'it is not {entries: […]}'],
    ['no list of entries', 'entries: hunter2', 'it is not {entries: […]}'],
    ['an entry that is text', 'entries: [hunter2]', '/entries/0 is not an object'],
    [
      'an unknown member of an entry',
      'entries: [{name: K, value_b64: QQ==, hosts: [a], hunter2: 1}]',
      '/entries/0 has a member that is not known',
    ],
    ['an entry without a name', 'entries: [{value_b64: QQ==, hosts: [a]}]', '/entries/0/name is no name'],
    [
      'a value that is not base64',
      'entries: [{name: K, value_b64: "hunter2", hosts: [a]}]',
      '/entries/0/value_b64 is not base64',
    ],
    ['an empty value', 'entries: [{name: K, value_b64: "", hosts: [a]}]', '/entries/0/value_b64 is empty'],
    [
      'a host that is a number',
      'entries: [{name: K, value_b64: QQ==, hosts: [1]}]',
      '/entries/0/hosts is not a list of hosts',
    ],
    [
      'a host that is a number, beside a good one',
      'entries: [{name: K, value_b64: QQ==, hosts: [a, 1]}]',
      '/entries/0/hosts is not a list of hosts',
    ],
    [
      'hosts that are one text',
      'entries: [{name: K, value_b64: QQ==, hosts: a}]',
      '/entries/0/hosts is not a list of hosts',
    ],
    [
      'an entry without hosts',
      'entries: [{name: K, value_b64: QQ==, hosts: []}]',
      '/entries/0/hosts is not a list of hosts',
    ],
    [
      'an entry twice',
      'entries: [{name: K, value_b64: QQ==, hosts: [a]}, {name: K, value_b64: QQ==, hosts: [a]}]',
      '/entries names an entry twice',
    ],
    ['an alias', 'entries: [&a {name: K, value_b64: QQ==, hosts: [a]}, *a]', 'it is not YAML'],
  ];
  for (const [why, text, message] of unreadable) {
    it(`refuses ${why} without quoting it`, async () => {
      mkdirSync(join(folder, 'vault'));
      writeFileSync(path(), text);
      const error: unknown = await readVaultFile(path()).catch((fault: unknown) => fault);
      expect(error).to.be.instanceOf(VaultFileError).and.to.include({ code: 'vault-file-invalid' });
      expect(String(error)).to.include(message).and.to.include(path()).and.not.to.include('hunter2');
    });
  }

  it('keeps the old content when the new one can not be written', async () => {
    await writeVaultFile(path(), [entry('K')]);
    const before = readFileSync(path(), 'utf8');
    await writeVaultFile(path(), [entry('')]).catch(() => undefined);
    expect(readFileSync(path(), 'utf8')).to.equal(before);
  });
});
