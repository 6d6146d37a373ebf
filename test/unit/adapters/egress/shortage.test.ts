import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';

const PROGRAM = join(import.meta.dirname, '../../../support/dial-without-descriptors.ts');

describe('a process that can open no further file', () => {
  it('says so in place of a fault of the provider: by address, by the hosts file and by DNS', async () => {
    const line = 'ulimit -n 80 && exec "$0" "$1"';
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', line, process.execPath, PROGRAM]);
    expect(JSON.parse(stdout)).to.deep.equal([
      'exhausted platform-exhausted sent=false',
      'exhausted platform-exhausted sent=false',
      'exhausted platform-exhausted sent=false',
    ]);
  });
});
