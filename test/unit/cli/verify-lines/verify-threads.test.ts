import { expect } from 'chai';
import { Worker } from 'node:worker_threads';
import type { LineBatch } from '../../../../cli/verify-lines/line-batches.ts';
import { NO_LINES, type BatchVerdicts } from '../../../../cli/verify-lines/verdicts.ts';
import { VerifyThreads, type StartThread } from '../../../../cli/verify-lines/verify-threads.ts';
import { CLI_NOW } from '../../../support/cli-io.ts';
import { runLines, validLines } from '../../../support/verify-lines.ts';

const settings = {
  believed: { kind: 'pins', pins: new Map() },
  keysJws: undefined,
  allowUnlogged: false,
  statusList: undefined,
  maxAgeMs: undefined,
  explain: false,
  now: CLI_NOW,
  isJson: false,
} as const;

const batch = (first: number): LineBatch => ({ first, count: 2, bytes: new Uint8Array(Buffer.from('a\nb\n')) });
const done = (first: number): BatchVerdicts => ({
  text: `${first}: valid\n`,
  counts: { ...NO_LINES, valid: 2 },
  newer: [],
});
const lost = (first: number, why: string): string => `${first}: undecidable; not_verified: ${why}\n`;

/** Threads that a test ends. */
class Started {
  readonly threads: { readonly got: number[]; readonly answer: () => void; readonly end: (why: string) => void }[] = [];
  stopped = 0;

  readonly start: StartThread = ({ onVerdicts, onEnd }) => {
    const got: number[] = [];
    this.threads.push({ got, answer: () => onVerdicts(done(got.at(-1) ?? 0)), end: onEnd });
    return {
      post: (message) => void (message[0] === 'batch' && got.push(message[1].first)),
      stop: async () => (this.stopped += 1),
    };
  };
}

/** Real threads that run some code when they get a batch. */
const startOf =
  (code: string): StartThread =>
  ({ onEnd }) => {
    const source = `require('node:worker_threads').parentPort.on('message', ([kind]) => { if (kind === 'batch') { ${code} } })`;
    const worker = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } });
    worker.on('error', (error) => onEnd(String(error)));
    worker.on('exit', (exit) => onEnd(`exit ${exit}`));
    return { post: (message) => worker.postMessage(message, []), stop: () => worker.terminate() };
  };

describe('VerifyThreads', () => {
  it('gives each thread one batch at a time, and starts no more threads than allowed', async () => {
    const started = new Started();
    const threads = new VerifyThreads(2, settings, started.start);
    const judged = [1, 3, 5].map((first) => threads.judge(batch(first)));
    expect(started.threads.map(({ got }) => got)).to.deep.equal([[1], [3]]);
    started.threads[1]?.answer();
    expect(started.threads.map(({ got }) => got)).to.deep.equal([[1], [3, 5]]);
    started.threads[0]?.answer();
    started.threads[1]?.answer();
    expect((await Promise.all(judged)).map(({ text }) => text)).to.deep.equal(
      [1, 3, 5].map((first) => done(first).text),
    );
    await threads.close();
    expect(started.stopped).to.equal(2);
  });

  it('tells the lines of a thread that ended, and gives the next batch to another thread', async () => {
    const started = new Started();
    const threads = new VerifyThreads(1, settings, started.start);
    const [first, second] = [threads.judge(batch(1)), threads.judge(batch(3))];
    started.threads[0]?.end('out of memory');
    started.threads[0]?.end('exit 1');
    const why = 'the thread that verified it ended: out of memory';
    expect(await first).to.deep.equal({
      text: lost(1, why) + lost(2, why),
      counts: { ...NO_LINES, undecidable: 2 },
      newer: [],
    });
    expect(started.threads.map(({ got }) => got)).to.deep.equal([[1], [3]]);
    started.threads[1]?.answer();
    expect((await second).text).to.equal(done(3).text);
  });

  it('replaces a thread that ended between two batches', async () => {
    const started = new Started();
    const threads = new VerifyThreads(1, settings, started.start);
    const first = threads.judge(batch(1));
    started.threads[0]?.answer();
    started.threads[0]?.end('exit 0');
    const second = threads.judge(batch(3));
    started.threads[1]?.answer();
    expect([(await first).text, (await second).text]).to.deep.equal([done(1).text, done(3).text]);
  });

  it('answers every batch although each thread ends', async () => {
    const started = new Started();
    const threads = new VerifyThreads(2, settings, started.start);
    const judged = Array.from({ length: 20 }, (_, index) => threads.judge(batch(1 + 2 * index)));
    for (const thread of started.threads) thread.end('it does not start');
    const all = await Promise.all(judged);
    expect(all.every(({ counts }) => counts.undecidable === 2)).to.equal(true);
    expect(started.threads.length).to.be.within(8, 9);
    expect((await threads.judge(batch(99))).text).to.include('threads crashed');
  });

  const crashes: readonly (readonly [how: string, code: string])[] = [
    ['by an error', "throw new Error('broken')"],
    ['by a rejection', "Promise.reject(new Error('broken'))"],
    ['by its exit', 'process.exit(0)'],
    ['for lack of memory', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length))'],
  ];
  for (const [how, code] of crashes) {
    it(`loses no line when a real thread ends ${how}`, async () => {
      const { exit, out, err } = await runLines(`${validLines[0]}\n`.repeat(5), [], {
        afterLines: 0,
        start: startOf(code),
      });
      expect([exit, err]).to.deep.equal([2, '5 lines: 5 undecidable\n']);
      expect(
        out.split('\n').map((line) => /^(\d): undecidable; not_verified: the thread/.exec(line)?.[1]),
      ).to.deep.equal(['1', '2', '3', '4', '5', undefined]);
    });
  }
});
