import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { blocksOf, expectations } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const [backup, restore, adopt, ...others] = blocksOf('backup-and-restore.md').filter(
  ({ language }) => language === 'sh',
);

describe('the commands of backup-and-restore.md, on npm start', function walks() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let running: Standalone | undefined;
  after(async () => {
    await running?.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** Runs a block over the data of this test in place of `.orb`. */
  async function walk(block: typeof backup): Promise<void> {
    if (block === undefined) throw new Error('the page has fewer commands than this test');
    const text = block.text
      .replaceAll('ledger-backup.sqlite --data', `${join(folder, 'ledger-backup.sqlite')} --data`)
      .replaceAll('--data .orb', `--data ${join(folder, 'data')}`);
    const { code, stdout, stderr } = await command('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: ROOT,
      // `npm run orb` must not install anything: the tests run on what is there.
      env: {
        PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'),
        npm_config_ignore_scripts: 'true',
      },
    });
    expect(code, `${stderr}${stdout}`).to.equal(0);
    for (const wanted of expectations(block)) expect(stdout).to.include(wanted);
  }

  /** Starts the platform on this data, executes the example, and does something while it runs. @returns status of the run */
  async function run(meanwhile?: () => Promise<void>): Promise<number> {
    running = await startStandalone({ data: folder });
    const { orbiset, orb_id, inputs } = running.ready;
    await meanwhile?.();
    const answer = await running.post(`/orbisets/${orbiset}/execute`, { orb_id, inputs });
    await answer.body?.cancel();
    expect(await running.stop()).to.equal(0);
    return answer.status;
  }

  it('back up, restore, and adopt what is too old', async () => {
    expect(others).to.deep.equal([]);
    expect(await run(() => walk(backup))).to.equal(200);
    await walk(restore);
    expect(await run()).to.equal(503);
    await walk(adopt);
    expect(await run()).to.equal(200);
  });
});
