import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { command } from '../../hack/control-plane/command.ts';
import { blocksOf, expectations } from '../integration/docs/fenced-blocks.ts';
import { say } from '../support/e2e/node.ts';
import { machineNetwork } from './support/machine.ts';
import { removeRelease } from './support/release.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_COMMANDS = 6;
const MOST_SECONDS = 300;

/** What a person types; lines that a backslash joins are one. */
const commandsIn = (text: string): readonly string[] =>
  text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));

const blocks = blocksOf('quick-start.md').filter(({ language }) => language === 'sh');
const commands = blocks.flatMap(({ text }) => commandsIn(text));

/** An image is built where there is an internet; all else happens in the network of the cluster, as the tests do. */
function shellFor(text: string): readonly [string, ...string[]] {
  if (text !== 'npm run -s image') return ['bash'];
  return ['nsenter', machineNetwork(), 'bash'];
}

describe('the quick start, word for word', () => {
  const receipt = join(ROOT, 'receipt.json');
  const took: { readonly text: string; readonly seconds: number }[] = [];
  let folder = '';
  let key = '';

  async function type(text: string): Promise<string> {
    const [program, ...before] = shellFor(text);
    const remember = `printf %s "\${ORB_API_KEY:-}" >"${folder}/key"`;
    const began = performance.now();
    const { code, stdout, stderr } = await command(
      program,
      [...before, '-euo', 'pipefail', '-c', `${text}\n${remember}`],
      // Nothing that this user once logged in to or trusted.
      { cwd: ROOT, env: { ORB_CONFIG_DIR: join(folder, 'config'), ORB_SERVER: undefined, ORB_API_KEY: key } },
    );
    took.push({ text, seconds: (performance.now() - began) / 1000 });
    expect(code, `${text}\n${stderr}${stdout}`).to.equal(0);
    key = await readFile(join(folder, 'key'), 'utf8');
    return stdout;
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orb-quick-start-'));
    if (existsSync(receipt)) await rename(receipt, `${receipt}.before-quick-start`);
    await removeRelease();
  });
  after(async () => {
    await rm(folder, { recursive: true });
    await rm(receipt, { force: true });
    if (existsSync(`${receipt}.before-quick-start`)) await rename(`${receipt}.before-quick-start`, receipt);
  });

  it(`has at most ${MOST_COMMANDS} commands`, () => {
    expect(commands.length).to.be.within(3, MOST_COMMANDS);
  });

  for (const block of blocks)
    it(`line ${block.line} prints what it says`, async () => {
      let printed = '';
      for (const text of commandsIn(block.text)) printed += await type(text);
      for (const wanted of expectations(block)) expect(printed).to.include(wanted);
    });

  it(`takes at most ${MOST_SECONDS} s, up to a receipt that verifies`, () => {
    for (const { text, seconds } of took) say(`${seconds.toFixed(1).padStart(8)} s  ${text.slice(0, 90)}`);
    const total = took.reduce((sum, { seconds }) => sum + seconds, 0);
    say(`${total.toFixed(1).padStart(8)} s  in all`);
    expect(took.map(({ text }) => text)).to.deep.equal(commands);
    expect(total).to.be.below(MOST_SECONDS);
  });
});
