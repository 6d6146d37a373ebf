import { expect } from 'chai';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeVaultFile } from '../../../../adapters/vault-file/vault-file.ts';
import { VaultEntries } from '../../../../standalone/files/vault-entries.ts';
import { recordingLogger, type RecordedLine } from '../../../support/kube/recorders.ts';

const SUPPORT = { namespace: 'acme', name: 'support' };

describe('VaultEntries', () => {
  let folder: string;
  let vaults: VaultEntries;
  let changed: string[];
  let lines: RecordedLine[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-vault-'));
    [changed, lines] = [[], []];
    vaults = new VaultEntries({ folder, logger: recordingLogger(lines), onChange: (key) => changed.push(key) });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, ...values: readonly string[]): Promise<void> =>
    writeVaultFile(
      join(folder, name),
      values.map((value, index) => ({ name: `KEY_${index}`, value: Buffer.from(value), hosts: [`h${index}.example`] })),
    );
  const texts = (): readonly string[] =>
    vaults
      .of(SUPPORT)
      .entries.map(
        ({ name, value, allowedHosts }) => `${name}=${Buffer.from(value).toString()} to ${allowedHosts.join()}`,
      );

  it('has the entries of the Orbiset that a file is named after, each with its own hosts', async () => {
    await write('acme.support.yaml', 'one', 'two');
    await vaults.scan();
    expect(texts()).to.deep.equal(['KEY_0=one to h0.example', 'KEY_1=two to h1.example']);
    expect(changed).to.deep.equal(['acme/support']);
    expect(vaults.of({ namespace: 'acme', name: 'other' })).to.deep.equal({ version: '', entries: [] });
  });

  it('reports a change once, and only when the entries are others', async () => {
    await write('acme.support.yaml', 'one');
    await vaults.scan();
    const { version } = vaults.of(SUPPORT);
    await write('acme.support.yaml', 'one');
    await vaults.scan();
    await vaults.scan();
    expect([changed, vaults.of(SUPPORT).version]).to.deep.equal([['acme/support'], version]);
    await write('acme.support.yaml', 'two');
    await vaults.scan();
    expect([changed.length, texts()]).to.deep.equal([2, ['KEY_0=two to h0.example']]);
    expect(vaults.of(SUPPORT).version).not.to.equal(version);
  });

  it('has no entries of a file that went', async () => {
    await write('acme.support.yaml', 'one');
    await vaults.scan();
    rmSync(join(folder, 'acme.support.yaml'));
    await vaults.scan();
    expect([changed.length, texts()]).to.deep.equal([2, []]);
  });

  it('keeps what a file held that somebody broke, says so once and without a value', async () => {
    await write('acme.support.yaml', 'one');
    await vaults.scan();
    writeFileSync(join(folder, 'acme.support.yaml'), 'secrets: [{ name: KEY, value_b64: c2VjcmV0, hosts: 7 }]\n');
    await vaults.scan();
    await vaults.scan();
    expect([changed.length, texts(), lines.length]).to.deep.equal([1, ['KEY_0=one to h0.example'], 1]);
    expect(JSON.stringify([lines, lines.map(({ fields }) => String(fields['error']))])).not.to.match(/c2VjcmV0|secret/);
  });

  it('keeps everything while the folder is away, says so once, and goes on', async () => {
    await write('acme.support.yaml', 'one');
    await vaults.scan();
    renameSync(folder, `${folder}-away`);
    await vaults.scan();
    await vaults.scan();
    expect([texts(), lines.length]).to.deep.equal([['KEY_0=one to h0.example'], 1]);
    renameSync(`${folder}-away`, folder);
    await write('acme.support.yaml', 'two');
    await vaults.scan();
    expect(texts()).to.deep.equal(['KEY_0=two to h0.example']);
  });

  it('leaves other files alone', async () => {
    await write('.acme.support.yaml', 'one');
    writeFileSync(join(folder, 'acme.support.txt'), 'x');
    await vaults.scan();
    expect([changed, lines]).to.deep.equal([[], []]);
  });
});
