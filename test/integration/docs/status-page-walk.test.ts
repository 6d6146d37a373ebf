import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import { aCli } from '../../support/cli-io.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import { blocksOf, expectations } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MEASURED_MS = 20_000;

describe('the commands of status-page.md, on npm start', function walks() {
  this.timeout(60_000);
  const cli = aCli();
  let standalone: Standalone;
  let key = '';

  before(async () => {
    standalone = await startStandalone({ data: join(cli.folder, 'standalone'), flags: ['--status-interval=10s'] });
    const { data, ready } = standalone;
    const made = await cli.run(['keys', 'create', '--tenant', 'orb-system', '--scope', 'admin', '--data', data]);
    key = made.out.trim();
    const first = await lastAnswer(
      () => fetch(`${ready.url}/status`),
      ({ status }) => status === 200,
      MEASURED_MS,
    );
    expect(first.status).to.equal(200);
  });
  after(async () => {
    await standalone.stop();
    rmSync(cli.folder, { recursive: true });
  });

  for (const block of blocksOf('status-page.md').filter(({ language }) => language === 'sh'))
    it(`line ${block.line} prints what it says`, async () => {
      const { code, stdout, stderr } = await command('bash', ['-euo', 'pipefail', '-c', block.text], {
        cwd: ROOT,
        env: {
          PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'),
          // `npm run orb` must not install anything: the tests run on what is there.
          npm_config_ignore_scripts: 'true',
          ORB_CONFIG_DIR: join(cli.folder, 'config'),
          ORB_SERVER: standalone.ready.url,
          ORB_API_KEY: key,
        },
      });
      expect(code, `${stderr}${stdout}`).to.equal(0);
      for (const wanted of expectations(block)) expect(stdout).to.include(wanted);
    });
});
