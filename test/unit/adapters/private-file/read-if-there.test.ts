import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIfThere } from '../../../../adapters/private-file/read-if-there.ts';
import { errorCode } from '../../../../core/errors/error-code.ts';

describe('readIfThere', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-read-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('gives the text of a file, and undefined where there is none', async () => {
    const path = join(folder, 'one');
    expect(await readIfThere(path)).to.equal(undefined);
    await writeFile(path, 'grüße');
    expect(await readIfThere(path)).to.equal('grüße');
  });

  it('rejects for what is there and can not be read', async () => {
    const failed: unknown = await readIfThere(folder).catch((error: unknown) => error);
    expect(errorCode(failed)).to.equal('EISDIR');
  });
});
