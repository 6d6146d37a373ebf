import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'chai';
import { ensurePrometheus } from '../../../../hack/prometheus/binaries.ts';

describe('ensurePrometheus', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-path-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const install = async (name: string, programs: readonly string[]): Promise<string> => {
    const path = join(folder, name);
    await mkdir(path);
    for (const program of programs) await writeFile(join(path, program), '', { mode: 0o755 });
    return path;
  };

  it('takes the first folder of the PATH that has both programs, and downloads nothing', async () => {
    const half = await install('half', ['prometheus']);
    const whole = await install('whole', ['prometheus', 'promtool']);
    const said: string[] = [];
    const path = ['', half, join(folder, 'absent'), whole].join(delimiter);
    const found = await ensurePrometheus((line) => said.push(line), { PATH: path });
    expect(found).to.deep.equal({ prometheus: join(whole, 'prometheus'), promtool: join(whole, 'promtool') });
    expect(said).to.deep.equal([]);
  });
});
