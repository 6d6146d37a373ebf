import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { ReceiptRecord } from '../../core/receipt/record.ts';
import { isReceiptRecord } from '../../core/receipt/record-schema.ts';
import { runStatusOf } from '../../core/run/run-status.ts';
import { compareRun } from '../../core/suite/compare.ts';
import type { CaseOpenings } from '../../core/test-report/ctrf.ts';
import type { TestCase } from '../../core/suite/suite.ts';
import type { CaseResult } from '../../core/test-report/write-report.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import { NoAnswer, type Server } from '../api/http.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';
import { DOCUMENT_TIMEOUT_MS } from '../api/save-bundle.ts';
import { receiptPath } from '../receipts/receipt-path.ts';

/** Where live cases run. */
export interface LiveTarget {
  readonly server: Server;
  /** `NAME` or `NAMESPACE.NAME`. */
  readonly orbiset: string;
  readonly namespace: string | undefined;
}

/** A live case that was run, with the time of its run as the platform's clock had it. */
export interface LiveResult {
  readonly result: CaseResult;
  /** Milliseconds since the epoch; undefined without a receipt. */
  readonly startedAt: number | undefined;
}

// The longest run (120 s, design.md §2), plus some time for the network.
const TIMEOUT_MS = 150_000;

const textOrNone = (value: JsonObject, name: string): string | undefined => {
  const found = member(value, name);
  return typeof found === 'string' ? found : undefined;
};

/** The receipt's record, which says more about a run than its answer; undefined when it can't be read. */
async function recordOf(target: LiveTarget, receiptId: string, io: Io): Promise<ReceiptRecord | undefined> {
  const path = receiptPath(receiptId, target.namespace);
  const request = {
    method: 'GET',
    path,
    headers: { accept: 'application/json' },
    timeoutMs: DOCUMENT_TIMEOUT_MS,
  } as const;
  const reply = await fetchReply(target.server, request, io);
  const record = member(reply.value, 'record');
  return isJsonObject(record) && isReceiptRecord(record) ? record : undefined;
}

function openingsOf(value: JsonObject, outputs: JsonObject | null): CaseOpenings | undefined {
  const openings = objectAt(value, 'openings');
  const input = textOrNone(objectAt(openings, 'input'), 'salt');
  const output = textOrNone(objectAt(openings, 'output'), 'salt');
  if (input === undefined) return undefined;
  return { input_salt: input, ...(output === undefined || outputs === null ? {} : { output_salt: output, outputs }) };
}

type Ended = Pick<CaseResult, 'faults' | 'durationMs' | 'receiptId' | 'openings'> & { readonly startedAt?: number };

/** A run with a receipt, compared with what the case expects. */
function compare(item: TestCase, orb: CompiledOrb, reply: Reply, record: ReceiptRecord): Ended {
  const { execution } = record;
  const found = member(reply.value, 'outputs');
  const outputs = reply.kind === 'result' && isJsonObject(found) ? found : null;
  const facts = {
    status: runStatusOf[execution.outcome],
    outcome: execution.outcome,
    outputs,
    request: undefined,
    attempts: execution.attempts.length,
    activeProvider: execution.attempts.at(-1)?.provider,
    executionMs: execution.duration_ms,
  };
  const isOther = record.orb.manifest_digest !== orb.digest;
  const other = 'the platform runs another manifest under this id; apply this one first';
  const openings = openingsOf(reply.value, outputs);
  return {
    faults: [...(isOther ? [other] : []), ...compareRun(facts, item)],
    durationMs: execution.duration_ms,
    receiptId: record.receipt_id,
    startedAt: Date.parse(execution.started_at),
    ...(openings === undefined ? {} : { openings }),
  };
}

const faulty = (fault: string): Ended => ({ faults: [fault], durationMs: 0 });

async function execute(target: LiveTarget, orb: CompiledOrb, item: TestCase, io: Io): Promise<Ended> {
  const body = JSON.stringify({ orb_id: orb.orbId, inputs: item.inputs });
  const path = `orbisets/${encodeURIComponent(target.orbiset)}/execute`;
  const headers = { accept: 'application/json' };
  const reply = await fetchReply(target.server, { method: 'POST', path, headers, body, timeoutMs: TIMEOUT_MS }, io);
  const run = reply.kind === 'result' ? reply.value : objectAt(reply.value, 'run');
  const receiptId = textAt(objectAt(run, 'receipt'), 'receipt_id');
  if (receiptId === '') {
    const next = textAt(reply.value, 'detail') || textAt(reply.value, 'title');
    return faulty(`no run was started: ${textAt(reply.value, 'code')}: ${next}`);
  }
  const record = await recordOf(target, receiptId, io);
  if (record === undefined)
    return faulty(`its receipt ${receiptId} can't be read; your key needs the scope receipts:read`);
  return compare(item, orb, reply, record);
}

/**
 * Runs a live case through the API; it leaves a receipt.
 * @throws Failure (4) the service is not reached
 */
export async function runLive(target: LiveTarget, orb: CompiledOrb, item: TestCase, io: Io): Promise<LiveResult> {
  const { name, suite, mode, required } = item;
  const ended = await execute(target, orb, item, io).catch((error: unknown) => {
    if (!(error instanceof NoAnswer) || !error.sent) throw error;
    return faulty(`${error.message}; the Orb may have been executed`);
  });
  const { startedAt, ...rest } = ended;
  const status = ended.faults.length === 0 ? 'passed' : 'failed';
  return { result: { name, suite, mode, required, status, ...rest }, startedAt };
}
