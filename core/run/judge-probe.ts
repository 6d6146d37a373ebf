import { attemptOutcome } from '../attempts/classify.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonValue } from '../json/json-value.ts';
import { lookup } from '../json/pointer.ts';
import type { CompiledOutput, CompiledProbe, ProbeExpectation } from '../orb/compiled-orb.ts';
import type { AttemptOutcome } from '../receipt/record.ts';
import { extractOutputs } from './outputs.ts';
import { readBody, type ReadBody } from './response-body.ts';

/** An answer to a probe, with names of headers in lower case. */
export interface ProbeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

function matchesExpectation({ pointer, equals }: ProbeExpectation, read: ReadBody): boolean {
  if (pointer === undefined) return true;
  const value = read.ok && read.body !== undefined ? lookup(read.body, pointer) : undefined;
  if (value === undefined) return false;
  return equals === undefined || textOf(value) === equals;
}

/** undefined: a value that no manifest can expect. */
function textOf(value: JsonValue): string | undefined {
  try {
    return jcs(value);
  } catch {
    return undefined;
  }
}

/** Whether a run would find its outputs, as far as they name a place. */
function hasOutputs(outputs: readonly CompiledOutput[], reply: ProbeReply, read: ReadBody): boolean {
  if (reply.status < 200 || reply.status > 299) return true;
  if (!read.ok) return false;
  const { status, headers } = reply;
  return extractOutputs(outputs, { status, headers, body: read.body }).missing.length === 0;
}

/**
 * The outcome of a probe's answer, with the outcomes of an attempt (failover.md §2). A probe that sends a run's own
 * request is also judged like a run: a 200 without the outputs is an `error`.
 */
export function judgeProbe({ expect, outputs }: Omit<CompiledProbe, 'request'>, reply: ProbeReply): AttemptOutcome {
  const { status } = reply;
  const isWanted = expect.statuses?.has(status) ?? (status >= 200 && status <= 299);
  if (!isWanted) return attemptOutcome({ kind: 'answered', status, outputsPresent: false });
  if (expect.pointer === undefined && outputs.length === 0) return 'success';
  const read = readBody(reply.body, reply.headers['content-type']);
  return matchesExpectation(expect, read) && hasOutputs(outputs, reply, read) ? 'success' : 'error';
}
