import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkDocument } from '../../../core/manifest/documents.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { compileOrb } from '../../../core/orb/compile-orb.ts';
import { anOrbProcess, type OrbEnded, type OrbProcess } from '../../support/orb-process.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { blocksOf, page } from './fenced-blocks.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const WALK = 'Slow, swap, heal, ramp, back';
const PROMPT = '$ npm run -s orb -- ';
const RECEIPT = /rcpt_[0-9a-f-]{36}/g;
const ROOT = resolve(import.meta.dirname, '../../..');
// A swap waits for evidence.
const STATUS_MS = 120_000;

/** A command of the page, and what it prints there. */
interface Step {
  readonly words: readonly string[];
  readonly printed: string;
}

/** The commands of the walk, in their order: those behind a prompt in its `console` blocks. */
function stepsOf(text: string): readonly Step[] {
  const section = text.slice(text.indexOf(`## ${WALK}`)).split(/^## /m)[1] ?? '';
  const blocks = [...section.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, body = '']) => body);
  return blocks.flatMap((body) =>
    body
      .split(PROMPT)
      .slice(1)
      .map((part) => {
        const [command = '', ...lines] = part.split('\n');
        const words = [...command.replace(/ +#.*$/, '').matchAll(/'([^']*)'|(\S+)/g)];
        return { words: words.map(([, quoted, bare = '']) => quoted ?? bare), printed: lines.join('\n') };
      }),
  );
}

const lineOf = (text: string, name: string): string => new RegExp(`^${name} +(.*)$`, 'm').exec(text)?.[1] ?? '';
/** The words that a status says whatever the metrics are. */
const stateOf = (text: string): string => `${lineOf(text, 'state')}, ${lineOf(text, 'active').split(':')[0]}`;
/** Verbs that talk to no API. */
const isLocal = ([first = '']: readonly string[]): boolean => first === 'verify' || first === 'trust';
/** Receipts in the order in which a text names them first. */
const receiptsOf = (text: string): readonly string[] => [...new Set(text.match(RECEIPT))];

describe(`docs/provider-failover.md: ${WALK}`, function walk() {
  // The shortest times that swap_config may have: about four minutes.
  this.timeout(480_000);
  let standalone: Standalone;
  let orb: OrbProcess;
  let traffic: ChildProcess;
  /** Receipt of the page → receipt of this walk. */
  const receipts = new Map<string, string>();

  before(async () => {
    standalone = await startStandalone();
    orb = anOrbProcess();
  });
  after(async () => {
    traffic.kill();
    await standalone.stop();
    rmSync(dirname(standalone.data), { recursive: true });
    rmSync(orb.folder, { recursive: true });
  });

  const actual = (word: string): string => word.replaceAll(RECEIPT, (named) => receipts.get(named) ?? named);
  const run = (words: readonly string[]): Promise<OrbEnded> =>
    orb.run([...words.map(actual), ...(isLocal(words) ? [] : ['--data', standalone.data])]);

  function startTraffic(words: readonly string[]): void {
    const args = [join(ROOT, 'cli/orb.js'), ...words, '--data', standalone.data];
    traffic = spawn(process.execPath, args, { stdio: 'ignore' });
  }

  /** The status becomes what the page shows. */
  async function checkStatus({ words, printed }: Step): Promise<void> {
    const wanted = stateOf(printed);
    const seen = await lastAnswer(
      () => run(words),
      ({ out }) => stateOf(out) === wanted,
      STATUS_MS,
      500,
    );
    expect(stateOf(seen.out)).to.equal(wanted);
    const [theirs, ours] = [receiptsOf(printed), receiptsOf(seen.out)];
    expect(ours.length).to.equal(theirs.length);
    for (const [index, named] of theirs.entries()) receipts.set(named, ours[index] ?? '');
  }

  async function checkVerified({ words, printed }: Step): Promise<void> {
    const { status, out } = await run(words);
    expect(status).to.equal(0);
    for (const line of ['swap follows from its evidence', 'log holds the receipt'])
      expect(out).to.match(new RegExp(`${line} +ok`));
    expect(lineOf(out, '  decided').replace(/^\S+/, '')).to.equal(lineOf(printed, '  decided').replace(/^\S+/, ''));
  }

  async function trust(): Promise<void> {
    const [, issuer = '', root = ''] = /trust add (\S+) --root '([^']+)'/.exec(standalone.output()) ?? [];
    expect((await run(['trust', 'add', issuer, '--root', root])).status).to.equal(0);
  }

  it('goes as the page says, with every command of it', async () => {
    const steps = stepsOf(page('provider-failover.md'));
    expect(steps.map(({ words }) => words.slice(0, 2).join(' '))).to.deep.equal([
      'example traffic',
      'status example.lookup@1.0.0',
      'example slow',
      'status example.lookup@1.0.0',
      'example heal',
      'status example.lookup@1.0.0',
      'status example.lookup@1.0.0',
      'receipts get',
      'trust add',
      'verify swap.json',
    ]);
    for (const step of steps) {
      const [first, second] = step.words;
      if (second === 'traffic') {
        startTraffic(step.words);
        await delay(20_000); // probes and runs that the swap will be judged against
      } else if (first === 'status') await checkStatus(step);
      else if (first === 'verify') await checkVerified(step);
      else if (first === 'trust') await trust();
      else {
        const { status, out } = await run(step.words);
        expect([step.words, status]).to.deep.equal([step.words, 0]);
        if (first === 'example') expect(out).to.equal(step.printed.split('\n')[0] + '\n');
      }
    }
  });

  it('has put the share, both swaps and their reasons into the log', () => {
    const said = ['"beta\\" is used instead of \\"alpha\\" (latency)', 'RampStarted', '(failback)'];
    for (const text of said) expect(standalone.output()).to.include(text);
  });
});

describe('docs/provider-failover.md', () => {
  const manifests = blocksOf('provider-failover.md').filter(({ language }) => language === 'yaml');
  for (const { text, line } of manifests)
    it(`the manifest at line ${line} is valid without a finding`, () => {
      const [parsed] = parseDocuments(text, 'yaml');
      const document = parsed?.ok === true ? checkDocument(parsed.value) : undefined;
      if (document?.ok !== true || document.value.kind !== 'Orb') throw new TypeError('no Orb');
      expect(compileOrb(document.value.manifest, { namespace: 'any', allowedOrigins: [] }).findings).to.deep.equal([]);
    });
});

describe('steps of a page', () => {
  it('are what follows a prompt, up to the next one', () => {
    const text = `## ${WALK}\n\n\`\`\`console\n${PROMPT}a 'b c' # d\nx\ny\n${PROMPT}e\n\`\`\`\n\n## Next\n\n\`\`\`console\n${PROMPT}z\n\`\`\`\n`;
    expect(stepsOf(text)).to.deep.equal([
      { words: ['a', 'b c'], printed: 'x\ny\n' },
      { words: ['e'], printed: '' },
    ]);
  });
});
