import { join } from 'node:path';
import { loadKeys } from '../../../adapters/keys/load-keys.ts';
import { ed25519Verify, sha256 } from '../../../adapters/keys/primitives.ts';
import { replayEvidence } from '../../../core/failover/replay-evidence.ts';
import type { SwapReceipt } from '../../../core/receipt/swap-record.ts';
import type { Root } from '../../../core/verify/keys.ts';
import { verifyBundle, type VerifyOptions } from '../../../core/verify/verify.ts';
import type { SeenSwap, SwapsOfOrb } from '../rig/oracles/swaps.ts';
import type { SwapPlatform } from './platform.ts';
import { lastAnswer } from '../../support/wait-for.ts';

/** The result of checking the receipts of swaps. */
export interface CheckedReceipts {
  readonly receipts: number;
  /** Number of automatic swaps whose decision was replayed from their evidence. */
  readonly followed: number;
  readonly faults: readonly string[];
}

// The lease of the process that writes receipts ends 15 s after a kill, and a checkpoint comes after the receipt.
const SERVED_MS = 60_000;

const BUNDLE = 'application/vnd.orb.bundle+json';
const options: VerifyOptions = { replay: ({ evidence, swap }) => replayEvidence(evidence, swap) };
const primitives = { sha256, ed25519Verify, now: Date.now };

type Read = { readonly code: string; readonly record: SwapReceipt | undefined };

async function readReceipt(platform: SwapPlatform, receiptId: string, root: Root): Promise<Read> {
  const headers = { authorization: `Bearer ${platform.key}`, accept: BUNDLE };
  const answer = await fetch(`${platform.api().url}/receipts/${receiptId}`, { headers });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (answer.status !== 200) return { code: `HTTP ${answer.status}`, record: undefined };
  const { code, signed } = await verifyBundle(bytes, root, options, primitives);
  return { code, record: signed?.kind === 'swap' ? signed.record : undefined };
}

/** Waits until the receipt exists, is logged and verifies. */
async function untilGood(platform: SwapPlatform, receiptId: string, until: { root: Root; ms: number }): Promise<Read> {
  const read = (): Promise<Read> => readReceipt(platform, receiptId, until.root);
  return lastAnswer(read, ({ code }) => code === 'ok', Math.max(0, until.ms - performance.now()), 250);
}

/** Checks that the receipt agrees with the history, and names the previous receipt. */
function recordFaults(record: SwapReceipt, swap: SeenSwap, before: SeenSwap | undefined): readonly string[] {
  const { seq, from, to, reason } = record.swap;
  const reported = [seq, from, to, reason, record.evaluator.epoch, record.previous_receipt_id];
  const seen = [swap.seq, swap.from, swap.to, swap.reason, swap.epoch, before?.receiptId ?? null];
  const isReported = JSON.stringify(reported) === JSON.stringify(seen);
  return [
    ...(isReported ? [] : [`says ${JSON.stringify(reported)}, happened ${JSON.stringify(seen)}`]),
    ...(record.swap.kind === 'automatic' && record.evidence === null ? ['has no evidence'] : []),
  ];
}

/**
 * Every swap has one receipt, which verifies, is in the log, follows from its evidence and names the previous receipt.
 */
export async function checkReceipts(platform: SwapPlatform, orbs: readonly SwapsOfOrb[]): Promise<CheckedReceipts> {
  const { root } = await loadKeys(join(platform.api().data, 'keys'));
  const until = { root, ms: performance.now() + SERVED_MS };
  const faults: string[] = [];
  let receipts = 0;
  let followed = 0;
  for (const { orb, swaps } of orbs) {
    for (const [index, swap] of swaps.entries()) {
      const { code, record } = await untilGood(platform, swap.receiptId, until);
      const of = `${orb}: the receipt of swap ${swap.seq}`;
      if (code !== 'ok') faults.push(`${of}: ${code}`);
      if (record === undefined) continue;
      receipts += 1;
      if (record.evidence !== null) followed += 1;
      faults.push(...recordFaults(record, swap, swaps[index - 1]).map((fault) => `${of} ${fault}`));
    }
  }
  return { receipts, followed, faults };
}
