import { expect } from 'chai';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';

const MODULE = new URL('../../../../adapters/threads/lower-priority.ts', import.meta.url).href;
const OF_THREAD = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { getPriority } = require('node:os');
  const { readlinkSync } = require('node:fs');
  import(workerData).then(({ lowerPriority }) => {
    lowerPriority();
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
  });`;

describe('the priority of a thread', () => {
  it('is lowered for itself alone', async function ofThread() {
    if (process.platform !== 'linux') this.skip();
    const before = getPriority();
    const answers: readonly unknown[] = await once(
      new Worker(OF_THREAD, { eval: true, workerData: MODULE }),
      'message',
    );
    expect([answers[0], getPriority()]).to.deep.equal([5, before]);
  });
});
