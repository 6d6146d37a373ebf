import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../processes.ts';
import { proveLedger } from '../proof.ts';
import { logFile, startMock, startPlatform } from '../subjects.ts';

/** `kill -9` under load: every acknowledged receipt must be in the ledger. @throws Error one is lost */
export async function killRound(folder: string): Promise<string> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  const acks = join(folder, 'acks.txt');
  try {
    const subject = await startPlatform(folder, mock.port, log);
    const { port, path, headers, body } = subject;
    const running = load({ port, path, headers, body, concurrency: 32, seconds: 4, acks, mayBreak: true });
    await delay(3000);
    await subject.started.stop('SIGKILL');
    await running;
  } finally {
    await mock.started.stop();
  }
  const acknowledged = readFileSync(acks, 'utf8')
    .split('\n')
    .filter((id) => id !== '');
  await proveLedger(join(folder, 'data'), { acknowledged });
  return `kill -9 at 32: ${acknowledged.length} acknowledged receipts, 0 lost`;
}
