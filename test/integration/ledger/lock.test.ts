import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import { refusal } from '../../support/refusal.ts';
import { testLogKey, testLedgerOptions } from '../../support/sqlite-ledger.ts';

const LOAD = fileURLToPath(new URL('../../support/ledger-load.ts', import.meta.url));

describe('the lock of a ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-lock-'));
  let other: ChildProcess | undefined;
  after(() => {
    other?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  // POSIX drops all locks of a process on a file when it closes any handle of that file: a refused second opening in
  // the same process must not open the door to another process.
  it('keeps another process out, also after a second opening in this one was refused', async () => {
    const file = join(folder, 'ledger.sqlite');
    const keyFile = join(folder, 'log.pem');
    writeFileSync(keyFile, testLogKey.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    const options = testLedgerOptions(file);
    const ledger = await openSqliteLedger(options);
    expect(await refusal(openSqliteLedger(options))).to.have.property('code', 'ledger-locked');
    const child = spawn(process.execPath, [LOAD, file, keyFile, '0', '1'], { stdio: ['ignore', 'ignore', 'pipe'] });
    other = child;
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString('utf8')));
    await once(child, 'close');
    expect(child.exitCode).to.equal(1);
    expect(complaint).to.include(`in use by the process ${process.pid}`);
    expect(await ledger.appendEntries(['{}'])).to.equal(0);
    await ledger.close();
  });
});
