import { expect } from 'chai';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createBell, isBell, ring, type MessageBell } from '../../../../adapters/threads/message-bell.ts';

const MODULE = new URL('../../../../adapters/threads/message-bell.ts', import.meta.url).href;
/** Answers each message with all that came so far; `end` is the last. A timer would be an event of its loop. */
const OF_THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const seen = [];
  import(workerData.module).then(({ serveBell }) => {
    setTimeout(() => parentPort.postMessage('a timer'), 0);
    parentPort.postMessage('sleeps');
    serveBell(parentPort, workerData.bell, (message) => {
      seen.push(message);
      parentPort.postMessage(seen);
      return message === 'end' ? 'last' : 'more';
    });
    parentPort.close();
  });`;

interface Sleeping {
  readonly worker: Worker;
  readonly bell: MessageBell;
  readonly post: (message: string) => void;
}

async function asleep(): Promise<Sleeping> {
  const bell = createBell();
  const worker = new Worker(OF_THREAD, { eval: true, workerData: { module: MODULE, bell } });
  await once(worker, 'message');
  const post = (message: string): void => {
    worker.postMessage(message, []);
    ring(bell);
  };
  return { worker, bell, post };
}

describe('a thread that sleeps until a message comes', () => {
  it('answers each message at once, in order, and ends with the last', async () => {
    const { worker, post } = await asleep();
    const answers: unknown[] = [];
    worker.on('message', (answer: unknown) => answers.push(answer));
    post('one');
    await once(worker, 'message');
    post('two');
    post('end');
    await once(worker, 'exit');
    const wanted = [['one'], ['one', 'two'], ['one', 'two', 'end']];
    expect(answers.filter((answer) => answer !== 'a timer')).to.deep.equal(wanted);
  });

  it('takes messages that were posted before it slept', async () => {
    const bell = createBell();
    const worker = new Worker(OF_THREAD, { eval: true, workerData: { module: MODULE, bell } });
    for (const message of ['one', 'end']) worker.postMessage(message, []);
    const answers: unknown[] = [];
    worker.on('message', (answer: unknown) => answers.push(answer));
    await once(worker, 'exit');
    expect(answers).to.deep.include(['one', 'end']);
  });

  it('misses no message that is posted while it answers or falls asleep', async () => {
    const { worker, post } = await asleep();
    for (let number = 0; number < 300; number += 1) {
      const answered = once(worker, 'message');
      post(String(number));
      const answer: readonly unknown[] = await answered;
      expect(answer[0]).to.have.lengthOf(number + 1);
    }
    await worker.terminate();
  });

  it('is ended while it sleeps', async () => {
    const { worker } = await asleep();
    expect(await worker.terminate()).to.equal(1);
  });

  it('knows a bell by its shared memory', () => {
    const values = [createBell(), new Int32Array(1), new Uint8Array(new SharedArrayBuffer(4)), undefined];
    expect(values.map(isBell)).to.deep.equal([true, false, false, false]);
  });
});
