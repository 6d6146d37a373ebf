import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { waitFor } from '../../support/wait-for.ts';
import { blocksIn } from './fenced-blocks.ts';
import { readText } from '../../support/docs/repository.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const ORB = 'npm run -s orb --';

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  server.close();
  await once(server, 'close');
  return port;
}

describe('"Your own Orb" of the README', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let provider: ChildProcess | undefined;
  let platform: Standalone | undefined;
  let origin = '';
  let blocks: ReadonlyMap<string, string>;

  before(async () => {
    origin = `http://127.0.0.1:${await freePort()}`;
    const [, section = ''] = /^## Your own Orb\n(.*?)^## /ms.exec(readText('README.md')) ?? [];
    const here = section
      .replaceAll('http://127.0.0.1:9000', origin)
      .replace('listen(9000', `listen(${new URL(origin).port}`);
    blocks = new Map(blocksIn(here).map(({ language, text }) => [language, text]));
  });
  after(async () => {
    await platform?.stop();
    provider?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    if (platform !== undefined) rmSync(platform.data, { recursive: true, force: true });
  });

  /** The command of the page that begins with these words, without its remark. */
  const lineOf = (words: string): string =>
    (blocks.get('sh') ?? '')
      .split('\n')
      .map((line) => line.replace(/ +#.*$/, ''))
      .find((line) => line.includes(words)) ?? '';
  /** Runs it in a shell, in the reader's folder. */
  const run = (words: string): Promise<CommandResult> => {
    const line = lineOf(words).replace(ORB, `"${process.execPath}" "${join(ROOT, 'cli/main.ts')}"`);
    const data = platform === undefined ? '' : ` --data "${platform.data}"`;
    return command('bash', ['-euo', 'pipefail', '-c', `${line}${data}`], { cwd: folder });
  };

  it('has a provider of ten lines that answers', async () => {
    const text = blocks.get('js') ?? '';
    expect(text.trimEnd().split('\n')).to.have.lengthOf(10);
    writeFileSync(join(folder, 'provider.mjs'), text);
    provider = spawn(process.execPath, ['provider.mjs'], { cwd: folder, stdio: 'ignore' });
    const answered = await waitFor(
      () => fetch(origin, { method: 'POST', body: '{"say":"x"}' }).catch(() => undefined),
      10_000,
    );
    expect(answered?.status).to.equal(401);
  });

  it('has a manifest that is right with the exception, and refused with its name without', async () => {
    mkdirSync(join(folder, 'orbs'));
    writeFileSync(join(folder, 'orbs/shout.yaml'), blocks.get('yaml') ?? '');
    const { code, stdout, stderr } = await run('validate');
    expect([code, stdout, stderr]).to.deep.equal([0, '', '1 file, 0 errors, 0 remarks\n']);
    const refused = await command(process.execPath, [join(ROOT, 'cli/main.ts'), 'validate', 'orbs'], { cwd: folder });
    expect(refused.code).to.equal(1);
    expect(refused.stdout).to.include(`or start with --egress-allow ${origin}`);
  });

  it('runs with the commands that it prints', async () => {
    const [, flags = ''] = /^npm start -- --resources orbs (.*)$/.exec(lineOf('npm start')) ?? [];
    platform = await startStandalone({
      resources: { 'shout.yaml': blocks.get('yaml') ?? '' },
      flags: flags.trim().split(' '),
    });
    const set = await run('secrets set');
    expect(set.code, set.stderr).to.equal(0);
    const ran = await waitFor(async () => {
      const found = await run('orb -- run');
      return found.code === 0 ? found : undefined;
    }, 20_000);
    expect(ran?.stdout).to.match(/text +"HELLO"\n +letters +5\n/);
  });
});
