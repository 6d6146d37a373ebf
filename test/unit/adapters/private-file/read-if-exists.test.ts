import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfExists } from '../../../../adapters/private-file/read-if-exists.ts';
import { errorCode } from '../../../../core/errors/error-code.ts';

describe('readIfExists', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-read-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives the text of a file, and undefined where there is none', async () => {
    const path = join(folder, 'one');
    expect(await readIfExists(path)).to.equal(undefined);
    await writeFile(path, 'grüße');
    expect(await readIfExists(path)).to.equal('grüße');
  });

  it('rejects for what is there and can not be read', async () => {
    const failed: unknown = await readIfExists(folder).catch((error: unknown) => error);
    expect(errorCode(failed)).to.equal('EISDIR');
  });
});
