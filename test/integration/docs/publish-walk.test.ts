import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { blocksOf, expectations } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MANIFESTS = join(ROOT, 'manifests');
/** The address of npm start that the page names. */
const ADDRESS = 'http://127.0.0.1:8080';

describe('the commands of publish-an-orb.md, on npm start', function walk() {
  this.timeout(120_000);
  /** Looks like a checkout: a page says `npm run -s orb`, `manifests/` and, without a word, `.orb`. */
  const folder = temporaryFolder();
  const data = temporaryFolder();
  let standalone: Standalone;
  const run = (text: string): ReturnType<typeof command> =>
    command('bash', ['-euo', 'pipefail', '-c', text.replaceAll(ADDRESS, standalone.ready.url)], {
      cwd: folder,
      env: { PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'), HOME: folder },
    });

  before(async () => {
    const files = readdirSync(MANIFESTS).filter((name) => name.includes('.'));
    standalone = await startStandalone({
      data,
      resources: Object.fromEntries(files.map((name) => [name, readFileSync(join(MANIFESTS, name), 'utf8')])),
      flags: ['--reputation-interval', '1s'],
    });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { orb: `node ${join(ROOT, 'cli/orb.js')}` } }),
    );
    symlinkSync(standalone.resources, join(folder, 'manifests'));
    symlinkSync(standalone.data, join(folder, '.orb'));
    const printed = /trust add \S+ --root '[^']+'/.exec(standalone.output())?.[0] ?? '';
    const { code, stderr } = await run(`npm run -s orb -- ${printed}`);
    expect(code, stderr).to.equal(0);
  });
  after(async () => {
    await standalone.stop();
    rmSync(data, { recursive: true });
    rmSync(folder, { recursive: true });
  });

  for (const block of blocksOf('publish-an-orb.md').filter(({ language }) => language === 'sh'))
    it(`line ${block.line} prints what it says`, async () => {
      const { code, stdout, stderr } = await run(block.text);
      expect(code, `${stderr}${stdout}`).to.equal(0);
      for (const wanted of expectations(block)) expect(`${stdout}${stderr}`).to.include(wanted);
    });
});
