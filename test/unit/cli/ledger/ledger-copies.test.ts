import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { initKeys } from '../../../../adapters/keys/init-keys.ts';
import { loadKeys } from '../../../../adapters/keys/load-keys.ts';
import { SCHEMA_VERSION } from '../../../../adapters/ledger/sqlite-writer/schema.ts';
import { openSqliteLedger } from '../../../../adapters/ledger/sqlite-ledger.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { openKeys } from '../../../../core/verify/keys.ts';
import { ed25519Verify, sha256 } from '../../../../adapters/keys/primitives.ts';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { writerOnThisThread } from '../../../support/sqlite-ledger.ts';
import { aCli, CLI_NOW, filesOf, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster } from '../../../support/kube/a-cluster.ts';

let counter = 0;
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => (counter += 91) & 255);

describe('orb ledger backup, restore, adopt', () => {
  let cli: TestCli;
  let data: string;
  let file: string;
  beforeEach(async () => {
    cli = aCli();
    data = join(cli.folder, 'data');
    file = join(cli.folder, 'copy.sqlite');
    await initKeys(join(data, 'keys'), { issuer: 'https://orbs.example', now: CLI_NOW, random: bytes });
    await (await open()).close();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  async function open(): Promise<Ledger> {
    const keys = await loadKeys(join(data, 'keys'));
    const ledger = await openSqliteLedger({
      file: join(data, 'ledger', 'ledger.sqlite'),
      identity: { issuer: keys.issuer, logOrigin: keys.logOrigin },
      logKey: keys.log,
      dataKey: keys.dataKey,
      clock: { now: () => CLI_NOW, monotonic: () => 0, sleep: async () => undefined },
      random: bytes,
      startWriter: writerOnThisThread,
    });
    if ((await ledger.logSize()) === 0) await ledger.appendEntries(keys.keyEvents);
    return ledger;
  }

  const ledger = (...argv: readonly string[]): Promise<CliResult> => cli.run(['ledger', ...argv]);

  it('backs a ledger up that a process has open, and tells what the copy holds', async () => {
    const running = await open();
    const made = await ledger('backup', file, '--data', data);
    await running.close();
    expect([made.exit, made.out]).to.deep.equal([0, `${file} ${readFileSync(file).length} 3\n`]);
    expect(made.err).to.include('3 entries under orbs.example/log, checked').and.to.include('the keys are not in it');
    const again = await ledger('backup', file, '--data', data);
    expect([again.exit, again.err.includes('--force')]).to.deep.equal([2, true]);
    expect((await ledger('backup', file, '--data', data, '--force')).exit).to.equal(0);
  });

  it('writes a checked copy to standard output, and leaves nothing behind', async () => {
    let sent = Buffer.alloc(0);
    const files = filesOf({ toStdout: async (path) => void (sent = readFileSync(path)) });
    const { exit, out } = await cli.run(['ledger', 'backup', '-', '--data', data], { files });
    expect([exit, out]).to.deep.equal([0, '']);
    writeFileSync(file, sent);
    rmSync(join(data, 'ledger'), { recursive: true });
    expect((await ledger('restore', file, '--data', data)).out).to.match(/ledger\.sqlite 3\n$/);
  });

  it('takes no room on the volume that the API needs', async () => {
    const path = join(data, 'ledger', 'ledger.sqlite');
    const { size } = statSync(path);
    truncateSync(path, 8 * 2 ** 40); // a hole
    for (const to of ['-', file]) {
      const { exit, err } = await ledger('backup', to, '--data', data);
      expect([exit, /the copy needs [\d.]+ MiB, the volume of \S+ has [\d.]+ MiB free/.test(err)]).to.deep.equal([
        2,
        true,
      ]);
    }
    truncateSync(path, size);
    expect((await ledger('backup', '-', '--data', data)).exit).to.equal(0);
  });

  it('names a folder that is not there', async () => {
    const { exit, err } = await ledger('backup', join(cli.folder, 'none', 'copy.sqlite'), '--data', data);
    expect([exit, err.includes(`${join(cli.folder, 'none')}: there is no such folder`)]).to.deep.equal([2, true]);
  });

  it('replaces nothing that is no file', async () => {
    const folder = join(cli.folder, 'there');
    mkdirSync(folder);
    for (const argv of [[], ['--force']]) {
      const { exit, err } = await ledger('backup', folder, '--data', data, ...argv);
      expect([exit, err.includes(`${folder} is no file: it was not touched`)], err).to.deep.equal([2, true]);
    }
    expect(statSync(folder).isDirectory()).to.equal(true);
  });

  it('removes copies that killed processes left on the volume, and no file of people', async () => {
    const path = join(data, 'ledger', 'ledger.sqlite');
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const left = [`.outgoing-${dead}`, `.outgoing-${dead}.${dead}.tmp-journal`, `.incoming-${dead}`];
    const kept = [`.incoming-${process.ppid}`, `.before-20261120T120000Z`, `.outgoing-${dead}.mine`];
    for (const name of [...left, ...kept]) writeFileSync(`${path}${name}`, '');
    const files = filesOf({});
    expect((await cli.run(['ledger', 'backup', '-', '--data', data], { files })).exit).to.equal(0);
    const there = [...left, ...kept].filter((name) => existsSync(`${path}${name}`));
    expect(there).to.deep.equal(kept);
  });

  it('names the file that is no backup', async () => {
    writeFileSync(file, 'no ledger');
    const text = await ledger('restore', file, '--data', data, '--force');
    expect([text.exit, text.err.includes(`${file} was not copied to ${data}`)], text.err).to.deep.equal([2, true]);
    const folder = await ledger('restore', cli.folder, '--data', data, '--force');
    expect([folder.exit, folder.err.includes('it is no file')]).to.deep.equal([2, true]);
    await (await open()).close();
  });

  it('says what a backup needs that finds no room on its way in', async () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    const files = filesOf({ fromStdin: () => Promise.reject(full) });
    const { exit, err } = await cli.run(['ledger', 'restore', '-', '--data', data, '--force'], { files });
    expect([exit, err.includes('there is no room for the backup'), err.includes('enlarge the volume')]).to.deep.equal([
      2,
      true,
      true,
    ]);
    await (await open()).close();
  });

  it('refuses to replace the ledger by its own copy', async () => {
    const { exit, err } = await ledger('backup', join(data, 'ledger', 'ledger.sqlite'), '--data', data, '--force');
    expect([exit, err.includes('belongs to the ledger itself: it was not touched')]).to.deep.equal([2, true]);
    await (await open()).close();
  });

  it('restores from a file and from standard input, and says what comes next', async () => {
    await ledger('backup', file, '--data', data);
    const refused = await ledger('restore', file, '--data', data);
    expect([refused.exit, refused.err.includes('--force')]).to.deep.equal([2, true]);
    const restored = await cli.run(['ledger', 'restore', '-', '--data', data, '--force'], {
      stdin: readFileSync(file),
    });
    expect(restored.exit, restored.err).to.equal(0);
    expect(restored.err).to.include('the previous ledger is').and.to.include('orb ledger adopt --new-origin');
    expect(existsSync(join(data, 'ledger', 'ledger.sqlite.before-20261120T120000Z'))).to.equal(true);
    const missing = await ledger('restore', join(cli.folder, 'none'), '--data', data, '--force');
    expect([missing.exit, missing.err.includes('there is no such file')]).to.deep.equal([2, true]);
  });

  it('touches no ledger that a process has open', async () => {
    await ledger('backup', file, '--data', data);
    const running = await open();
    for (const argv of [
      ['restore', file, '--data', data, '--force'],
      ['adopt', '--new-origin', '--data', data, '--yes'],
    ]) {
      const { exit, err } = await ledger(...argv);
      expect([exit, err.includes(`in use by the process ${process.pid}`)]).to.deep.equal([4, true]);
    }
    await running.close();
  });

  it('leaves a ledger of a newer program alone', async () => {
    new DatabaseSync(join(data, 'ledger', 'ledger.sqlite')).exec('UPDATE schema_version SET version = 99');
    for (const argv of [
      ['backup', file, '--data', data],
      ['adopt', '--new-origin', '--data', data, '--yes'],
    ]) {
      const { exit, err } = await ledger(...argv);
      expect([exit, new RegExp(String.raw`schema version 99\b.*up to ${SCHEMA_VERSION}\b`).test(err)]).to.deep.equal([
        2,
        true,
      ]);
    }
  });

  it('adopts by a keys document that the root signed, and changes no key', async () => {
    const before = await loadKeys(join(data, 'keys'));
    const asked = await ledger('adopt', '--new-origin', '--data', data);
    expect([asked.exit, asked.err.includes('nothing was changed')]).to.deep.equal([64, true]);
    expect((await loadKeys(join(data, 'keys'))).keysJws).to.equal(before.keysJws);
    const adopted = await ledger('adopt', '--new-origin', '--data', data, '--yes');
    expect([adopted.exit, adopted.out]).to.deep.equal([0, 'orbs.example/log-2\n']);
    const after = await loadKeys(join(data, 'keys'));
    const [old, young] = await Promise.all(
      [before, after].map(({ keysJws, root }) => openKeys(keysJws, root, { sha256, ed25519Verify })),
    );
    if (old?.ok !== true || young?.ok !== true) throw new Error('a keys document does not open');
    expect(young.document).to.deep.equal({
      ...old.document,
      log_origin: 'orbs.example/log-2',
      sequence: 2,
      issued_at: new Date(CLI_NOW).toISOString(),
    });
    expect((await ledger('adopt', '--new-origin', '--data', data, '--yes')).out).to.equal('orbs.example/log-3\n');
    const opened = await open();
    expect([opened.identity.logOrigin, (await opened.checkpoint())?.note.split('\n').slice(0, 2)]).to.deep.equal([
      'orbs.example/log-3',
      ['orbs.example/log-3', '3'],
    ]);
    await opened.close();
  });

  it('needs the root, and no other key', async () => {
    const pem = join(data, 'keys', 'root.pem');
    const root = readFileSync(pem, 'utf8');
    rmSync(pem);
    const without = await ledger('adopt', '--new-origin', '--data', data, '--yes');
    expect([without.exit, without.err.includes('--root-key FILE')]).to.deep.equal([2, true]);
    const offline = join(cli.folder, 'offline.pem');
    for (const [text, wanted] of [
      [readFileSync(join(data, 'keys', 'log.pem'), 'utf8'), 'another root key'],
      ['no key', 'no private key in PEM'],
    ] as const) {
      writeFileSync(offline, text);
      const { exit, err } = await ledger('adopt', '--new-origin', '--data', data, '--yes', '--root-key', offline);
      expect([exit, err.includes(wanted)]).to.deep.equal([2, true]);
    }
    writeFileSync(offline, root);
    expect((await ledger('adopt', '--new-origin', '--data', data, '--yes', '--root-key', offline)).exit).to.equal(0);
  });

  it('adopts in the Secret of a cluster, one entry of it', async () => {
    const cluster = aCluster();
    const run = (...argv: readonly string[]): Promise<CliResult> =>
      cli.run(['ledger', ...argv], { openCluster: cluster.open });
    await run('init', '--secret', '--issuer', 'https://orbs.example');
    const dataOf = (): Readonly<Record<string, unknown>> => {
      const value: unknown = cluster.kube.objects(KINDS.secret)[0]?.['data'];
      return typeof value === 'object' && value !== null ? { ...value } : {};
    };
    const before = dataOf();
    const { exit, out, err } = await run('adopt', '--new-origin', '--secret', '--yes');
    expect([exit, out], err).to.deep.equal([0, 'orbs.example/log-2\n']);
    expect(err).to.include(
      'kubectl rollout restart deployment -l app.kubernetes.io/part-of=orb-platform,app.kubernetes.io/component=api -n orb-system',
    );
    const changed = Object.entries(dataOf()).filter(([name, value]) => before[name] !== value);
    expect(changed.map(([name]) => name)).to.deep.equal(['orb-keys.jws']);
  });

  const wrong: readonly (readonly [string, readonly string[]])[] = [
    ['adopt without its flag', ['adopt', '--data', 'x']],
    ['adopt of two places', ['adopt', '--new-origin', '--data', 'x', '--secret']],
    ['adopt of no place', ['adopt', '--new-origin']],
    ['restore without a folder', ['restore', 'x']],
    ['backup without a file', ['backup']],
  ];
  for (const [why, argv] of wrong)
    it(`refuses ${why}`, async () => {
      expect((await ledger(...argv)).exit).to.equal(64);
    });

  it('refuses a folder without a ledger', async () => {
    mkdirSync(join(cli.folder, 'none'));
    expect((await ledger('backup', file, '--data', join(cli.folder, 'none'))).exit).to.equal(2);
    expect(existsSync(file)).to.equal(false);
  });
});
