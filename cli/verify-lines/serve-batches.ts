import type { MessagePort } from 'node:worker_threads';
import { batchJudge, type BatchSettings, type JudgeBatch } from './judge-batch.ts';
import type { LineBatch } from './line-batches.ts';

/** What a thread is sent: first the settings, then one batch at a time. It answers each batch with its verdicts. */
export type ToThread = readonly ['settings', BatchSettings] | readonly ['batch', LineBatch];

/** Answers the messages of one port. An error ends the thread: its starter then tells which lines were lost. */
export function serveBatches(port: MessagePort): void {
  let judge: Promise<JudgeBatch> | undefined;
  async function answer(batch: LineBatch): Promise<void> {
    if (judge === undefined) throw new TypeError('a batch before the settings');
    port.postMessage(await (await judge)(batch));
  }
  port.on('message', (message: ToThread) => {
    if (message[0] === 'settings') judge = batchJudge(message[1]);
    else void answer(message[1]);
  });
}
