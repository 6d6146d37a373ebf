import { createHash } from 'node:crypto';
import type { NewSwap, RunFinish, RunStart } from '../../adapters/ledger/port.ts';
import { jcs } from '../../core/json/jcs.ts';

/** 2026-11-20T10:00:00Z */
export const LEDGER_NOW = 1_795_168_800_000;

const HEADER = Buffer.from('{"alg":"Ed25519","kid":"kid-of-a-test","typ":"orb-receipt+jws"}').toString('base64url');

const digitsOf = (number: number): string => number.toString(16).padStart(12, '0');

/** Ids in the platform's format, with a number in place of the random part. */
export const runIdOf = (number: number): string => `run_019aa000-0000-7000-8000-${digitsOf(number)}`;
export const receiptIdOf = (number: number): string => `rcpt_019aa000-0000-7000-8000-${digitsOf(number)}`;

/** A start row of tenant `acme` with a deadline 30 s after its start. */
export function aStart(number: number, change: Partial<RunStart> = {}): RunStart {
  const startedAt = change.startedAt ?? LEDGER_NOW;
  return {
    runId: runIdOf(number),
    tenant: 'acme',
    startedAt,
    deadlineAt: startedAt + 30_000,
    owner: 'test',
    seed: `{"run":${number}}`,
    ...change,
  };
}

/** A compact JWS of the right form; its signature is never verified. */
function aJws(content: string): string {
  const payload = Buffer.from(jcs({ content })).toString('base64url');
  const signature = createHash('sha512').update(payload).digest('base64url');
  return `${HEADER}.${payload}.${signature}`;
}

/** A log entry in its private form (trust.md §2.1). */
const anEntry = (receiptId: string, jws: string): string =>
  jcs({
    v: 1,
    kind: 'receipt_private',
    receipt_id: receiptId,
    finished_at: '2026-11-20T10:00:00.250Z',
    jws_sha256: createHash('sha256').update(jws).digest('hex'),
  });

/** The finish of `aStart(number)`, with its own receipt. */
export function aFinish(
  number: number,
  change: Partial<RunFinish> = {},
  receiptChange: Partial<RunFinish['receipt']> = {},
): RunFinish {
  const receiptId = receiptChange.receiptId ?? receiptIdOf(number);
  const jws = receiptChange.jws ?? aJws(receiptId);
  const entry = anEntry(receiptId, jws);
  const receipt = {
    receiptId,
    orbId: 'acme.echo@1.0.0',
    outcome: 'success' as const,
    issuedAt: LEDGER_NOW,
    jws,
    entry,
  };
  return { runId: runIdOf(number), tenant: 'acme', receipt: { ...receipt, ...receiptChange }, ...change };
}

/** Receipt ids of swaps, in a different range from those of runs. */
export const swapReceiptIdOf = (number: number): string => receiptIdOf(0xffff_0000 + number);

/** Swap `number` of the object `uid-1`, with its own receipt. */
export function aSwap(number: number, change: Partial<NewSwap> = {}): NewSwap {
  const receiptId = change.receiptId ?? swapReceiptIdOf(number);
  const jws = change.jws ?? aJws(receiptId);
  return {
    tenant: 'acme',
    orbUid: 'uid-1',
    swapSeq: number,
    epoch: 1,
    receiptId,
    orbId: 'acme.echo@1.0.0',
    issuedAt: LEDGER_NOW,
    jws,
    entry: anEntry(receiptId, jws),
    ...change,
  };
}
