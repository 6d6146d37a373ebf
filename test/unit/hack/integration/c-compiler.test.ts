import { expect } from 'chai';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureCompiler } from '../../../../hack/integration/c-compiler.ts';
import { faultyDisk } from '../../../support/disk-faults/disk-faults.ts';

describe('the C compiler of the tests', function suite() {
  const [path, ci, getuid] = [process.env['PATH'], process.env['CI'], process.getuid];
  let folder = '';

  before(function linuxOnly() {
    if (process.platform !== 'linux') this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-compiler-'));
    // No program of this machine is found.
    process.env['PATH'] = folder;
    process.getuid = () => 0;
  });
  afterEach(() => {
    process.env['PATH'] = path;
    if (ci === undefined) delete process.env['CI'];
    else process.env['CI'] = ci;
    if (getuid !== undefined) process.getuid = getuid;
    rmSync(folder, { recursive: true });
  });

  const program = (name: string, text: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };

  it('is installed with the headers of C when it is missing', async () => {
    program('apt-get', `echo "$@" >> ${folder}/called; : > ${folder}/cc`);
    const said: string[] = [];
    await ensureCompiler((line) => said.push(line), true);
    expect(said).to.deep.equal(['Installing gcc, libc6-dev …']);
    expect(readFileSync(join(folder, 'called'), 'utf8')).to.match(/install .*gcc libc6-dev\n$/);
  });

  it('is left alone when it is there', async () => {
    program('cc', 'exit 0');
    program('apt-get', `: > ${folder}/called`);
    await ensureCompiler(() => undefined, true);
    expect(existsSync(join(folder, 'called'))).to.equal(false);
  });

  it('stops the tests of CI when it can not be installed, and is reported elsewhere', async () => {
    program('apt-get', 'echo "no network" >&2; exit 100');
    const said: string[] = [];
    const failure = await ensureCompiler(() => undefined, true).catch((error: unknown) => String(error));
    expect(failure).to.include('no network');
    await ensureCompiler((line) => said.push(line), false);
    expect(said.at(-1)).to.include('the tests of a faulty disk are skipped');
  });

  it('is demanded by the tests of a faulty disk in CI only', () => {
    process.env['CI'] = 'true';
    expect(() => faultyDisk(folder)).to.throw('apt-get install gcc libc6-dev');
    delete process.env['CI'];
    expect(faultyDisk(folder)).to.equal(undefined);
  });
});
