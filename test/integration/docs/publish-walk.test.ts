import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from '../../../hack/control-plane/command.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { blocksOf, expectations, type Block } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const MANIFESTS = join(ROOT, 'manifests');
/** The address of npm start that a page names, and the issuer and the Orb of the pages for outsiders. */
const ADDRESS = 'http://127.0.0.1:8080';
const ISSUER = 'https://orbs.example';
const OUTSIDERS = ['verify-a-certificate.md', 'recompute-a-score.md'];

/** The Orb that the pages for outsiders are about is one that the first page published. */
const asPublished = (text: string): string =>
  text.replaceAll('acme.echo@1.2.0', 'example.echo@1.0.0').replaceAll('gold 96', 'bronze 40');

const commandsOf = (name: string): readonly Block[] => blocksOf(name).filter(({ language }) => language === 'sh');

describe('the commands of the pages about publishing, on npm start', function walk() {
  this.timeout(120_000);
  /** Looks like a checkout: a page says `npm run -s orb`, `manifests/` and, without a word, `.orb`. */
  const folder = temporaryFolder();
  const data = temporaryFolder();
  let standalone: Standalone;
  const shell = (text: string, env: NodeJS.ProcessEnv): ReturnType<typeof command> =>
    command('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: folder,
      env: { PATH: [folder, join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(':'), HOME: folder, ...env },
    });
  const run = (text: string): ReturnType<typeof command> => shell(text.replaceAll(ADDRESS, standalone.ready.url), {});
  /** The issuer is at the address of npm start; its name is what the root is pinned for. */
  const runAsOutsider = (text: string): ReturnType<typeof command> =>
    shell(
      asPublished(text)
        .replaceAll(`${ISSUER}/`, `${standalone.ready.url}/`)
        .replaceAll(`--log ${ISSUER}`, `--log ${standalone.ready.url}`),
      { ORB_API_KEY: standalone.ready.api_key },
    );

  async function pin(): Promise<void> {
    const [printed = '', root = ''] = /trust add \S+ --root '([^']+)'/.exec(standalone.output()) ?? [];
    writeFileSync(join(folder, 'root.jwk'), root);
    const { code, stderr } = await run(`npm run -s orb -- ${printed}`);
    expect(code, stderr).to.equal(0);
  }

  before(async () => {
    const files = readdirSync(MANIFESTS).filter((name) => name.includes('.'));
    standalone = await startStandalone({
      data,
      resources: Object.fromEntries(files.map((name) => [name, readFileSync(join(MANIFESTS, name), 'utf8')])),
      flags: ['--reputation-interval', '1s', '--issuer', ISSUER],
    });
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { orb: `node ${join(ROOT, 'cli/orb.js')}` } }),
    );
    symlinkSync(join(ROOT, 'cli/orb.js'), join(folder, 'orb'));
    symlinkSync(standalone.resources, join(folder, 'manifests'));
    symlinkSync(standalone.data, join(folder, '.orb'));
    await pin();
  });
  after(async () => {
    await standalone.stop();
    rmSync(data, { recursive: true });
    rmSync(folder, { recursive: true });
  });

  for (const block of commandsOf('publish-an-orb.md'))
    it(`publish-an-orb.md, line ${block.line}, prints what it says`, async () => {
      const { code, stdout, stderr } = await run(block.text);
      expect(code, `${stderr}${stdout}`).to.equal(0);
      for (const wanted of expectations(block)) expect(`${stdout}${stderr}`).to.include(wanted);
    });

  for (const name of OUTSIDERS)
    for (const block of commandsOf(name))
      it(`${name}, line ${block.line}, prints what it says`, async () => {
        const { code, stdout, stderr } = await runAsOutsider(block.text);
        expect(code, `${stderr}${stdout}`).to.equal(0);
        for (const wanted of expectations(block)) expect(`${stdout}${stderr}`).to.include(asPublished(wanted));
      });
});
