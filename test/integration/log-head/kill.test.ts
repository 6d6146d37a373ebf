import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { seededRandom } from '../../chaos/seeded-random.ts';

const WRITER = fileURLToPath(new URL('../../support/head-writer.ts', import.meta.url));
const KILLS = 12;

describe('a head file whose writer is killed', function suite() {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-head-kill-'));
  after(() => rmSync(folder, { recursive: true }));

  it('holds a whole head, never older than one that was kept', async () => {
    const path = join(folder, 'data.log-head');
    const random = seededRandom(11);
    let kept = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writer = spawn(process.execPath, [WRITER, path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let reported = '';
      writer.stdout.on('data', (chunk: Buffer) => (reported += chunk.toString('utf8')));
      await once(writer.stdout, 'data');
      await delay(random() * 60);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      const sizes = reported.split('\n').slice(0, -1).map(Number);
      const [, size = '', root = '', , signature = ''] = readFileSync(path, 'utf8').split('\n');
      expect(Number(size)).to.be.at.least(Math.max(kept, ...sizes));
      expect([root.length, signature]).to.deep.equal([44, '— orbs.example/log c2ln']);
      kept = Number(size);
    }
    expect(kept).to.be.at.least(KILLS);
  });
});
