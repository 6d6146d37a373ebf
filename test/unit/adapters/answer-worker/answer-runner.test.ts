import { expect } from 'chai';
import { AnswerRunner, type AnswerRunnerOptions } from '../../../../adapters/answer-worker/answer-runner.ts';
import type { AnswerOwner, AnswerResult } from '../../../../adapters/answer-worker/port.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';
import { writeAnswer, type AnswerWork } from '../../../../core/run/written-answer.ts';
import { hostileAnswers } from '../../../support/hostile-answers.ts';
import { refusal } from '../../../support/refusal.ts';

const SECRET = 'abcdefgh12345678';
const secrets = [{ name: 'KEY', value: Buffer.from(SECRET) }];
const redactor = createRedactor(secrets);
const owner: AnswerOwner = { tenant: 'acme', redactor, secrets };
const MIB = 1_048_576;
const never = new AbortController().signal;

const work = (text: string): AnswerWork => ({
  status: 200,
  contentType: 'application/json',
  headers: {},
  bytes: Buffer.from(text),
  outputs: [
    {
      name: 'o',
      type: text.startsWith('{"o":[') ? 'array' : text.startsWith('{"o":{') ? 'object' : 'string',
      from: ['body', 'o'],
    },
  ],
  isShown: false,
});

/** CPU time of this thread alone, ms. */
async function cpuOf(task: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await task();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

describe('AnswerRunner', function suite() {
  this.timeout(120_000);
  let runner: AnswerRunner;
  const open = (options: AnswerRunnerOptions = {}): void => void (runner = new AnswerRunner(options));
  afterEach(() => runner.close());

  const read = (text: string): Promise<AnswerResult> => runner.read(work(text), owner, never);

  it('answers as the reading on this thread does', async () => {
    open();
    for (const text of [`{"o":["a","${SECRET}",1]}`, '{"o":{"b":1,"a":"ä"}}', '{"p":1}', '{"o":', `{"o":["%41"]}`])
      expect(await read(text), text).to.deep.equal({ kind: 'written', answer: writeAnswer(work(text), redactor) });
  });

  it('is given the memory of an answer in place of a copy', async () => {
    open();
    const one = { ...work('{"o":[]}'), bytes: new Uint8Array(Buffer.from('{"o":["a"]}')) };
    const expected = writeAnswer(one, redactor);
    expect(await runner.read(one, owner, never)).to.deep.equal({ kind: 'written', answer: expected });
    expect(one.bytes.byteLength).to.equal(0);
  });

  it('removes the secrets of each vault, one after the other', async () => {
    open();
    const others = [{ name: 'OTHER', value: Buffer.from('another-secret') }];
    const second: AnswerOwner = { tenant: 'other', redactor: createRedactor(others), secrets: others };
    const text = `{"o":["${SECRET}","another-secret"]}`;
    const results = await Promise.all([owner, second, owner].map((one) => runner.read(work(text), one, never)));
    expect(
      results.map((result) =>
        result.kind === 'written' ? String(Buffer.from(result.answer.outputs?.members[0]?.json ?? [])) : '',
      ),
    ).to.deep.equal([
      '["[redacted:KEY]","another-secret"]',
      `["${SECRET}","[redacted:OTHER]"]`,
      '["[redacted:KEY]","another-secret"]',
    ]);
  });

  it('keeps the work of the most hostile answers off this thread', async () => {
    open({ workMs: 50_000 });
    const answers = Object.entries(hostileAnswers(SECRET, MIB));
    // First, because what this thread parses is garbage afterwards: its collection would count as work.
    const away: number[] = [];
    for (const [, text] of answers) {
      const one = work(text);
      away.push(await cpuOf(() => runner.read(one, owner, never)));
    }
    const costs: (readonly [name: string, hereMs: number, awayMs: number])[] = [];
    for (const [index, [name, text]] of answers.entries()) {
      const one = work(text);
      const hereMs = await cpuOf(() => writeAnswer(one, redactor));
      costs.push([name, Math.round(hereMs), Math.round(away[index] ?? Infinity)]);
    }
    const sum = (at: 1 | 2): number => costs.reduce((total, cost) => total + cost[at], 0);
    expect(Math.max(...costs.map(([, , awayMs]) => awayMs)), JSON.stringify(costs)).to.be.lessThan(50);
    expect(sum(2), JSON.stringify(costs)).to.be.lessThan(sum(1) / 4);
  });

  it('gives up an answer that takes too long, and reads the next one', async () => {
    open({ workMs: 1 });
    const slow = hostileAnswers(SECRET, MIB)['strings of percent-encoded bytes'];
    expect(await read(slow ?? '')).to.deep.equal({ kind: 'too-complex' });
    await runner.close();
    open();
    expect((await read('{"o":[1]}')).kind).to.equal('written');
  });

  it('reads no answer whose run is over, and says its reason', async () => {
    open();
    const first = read('{"o":[1]}');
    const over = new AbortController();
    const second = runner.read(work('{"o":[2]}'), owner, over.signal);
    over.abort(new Error('the deadline'));
    expect(await refusal(second)).to.have.property('message', 'the deadline');
    expect([(await first).kind, (await read('{"o":[3]}')).kind]).to.deep.equal(['written', 'written']);
  });

  it('lets at most 64 answers wait, and none after its end', async () => {
    open();
    const results = Array.from({ length: 70 }, () => read('{"o":[1]}'));
    expect((await Promise.all(results.slice(64))).map(({ kind }) => kind)).to.deep.equal(Array(6).fill('unavailable'));
    expect((await results[63])?.kind).to.equal('written');
    expect((await read('{"o":[1]}')).kind).to.equal('written');
    await runner.close();
    expect((await read('{"o":[1]}')).kind).to.equal('unavailable');
  });

  const outOfMemory = Object.assign(new Error('limit reached'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
  const ends: readonly (readonly [why: string, isReady: boolean, cause: unknown, kind: AnswerResult['kind']])[] = [
    ['an answer that takes all memory is too complex', true, outOfMemory, 'too-complex'],
    ['a fault of our own in the thread says nothing about the answer', true, new TypeError('a bug'), 'unavailable'],
    ['an end without a cause says nothing about the answer', true, undefined, 'unavailable'],
    ['a thread that ends before it is ready has not seen the answer', false, outOfMemory, 'unavailable'],
  ];
  for (const [why, isReady, cause, kind] of ends)
    it(`begins anew after the end of its thread: ${why}`, async () => {
      let starts = 0;
      open({
        start: ({ onMessage, onEnd }) => {
          starts += 1;
          queueMicrotask(() => (isReady ? onMessage(['ready']) : onEnd(cause)));
          return { post: () => onEnd(cause), ended: Promise.resolve(), terminate: () => Promise.resolve() };
        },
      });
      expect([(await read('{"o":[1]}')).kind, (await read('{"o":[1]}')).kind, starts]).to.deep.equal([kind, kind, 2]);
    });

  it('refuses the newest answer of the tenant with the most, when another one comes', async () => {
    open();
    const many = Array.from({ length: 64 }, () => read('{"o":[1]}'));
    const others = [0, 1].map((one) => runner.read(work(`{"o":[${one}]}`), { ...owner, tenant: 'other' }, never));
    expect((await Promise.all(others)).map(({ kind }) => kind)).to.deep.equal(['written', 'written']);
    const kinds = (await Promise.all(many)).map(({ kind }) => kind);
    expect(kinds).to.deep.equal([...Array<string>(62).fill('written'), 'unavailable', 'unavailable']);
  });

  it('ends its thread when there was no work for a while', async () => {
    open({ idleMs: 20 });
    expect((await read('{"o":[1]}')).kind).to.equal('written');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await read('{"o":[2]}')).kind).to.equal('written');
  });
});
