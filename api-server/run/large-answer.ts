import { abortFailure, EXHAUSTED } from '../../adapters/egress/faults.ts';
import type { DialFailure, DialResult } from '../../adapters/egress/port.ts';
import { causeOf } from '../../core/attempts/cause.ts';
import { attemptOutcome } from '../../core/attempts/classify.ts';
import type { AnswerReading } from '../../core/run/read-answer.ts';
import { isCanonical, outputsBytes, type WrittenAnswer } from '../../core/run/written-answer.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AttemptCall } from './attempt.ts';
import { contentTypeOf, headerMap } from './header-map.ts';
import type { RunPolicy } from './run-policy.ts';

type Answered = Extract<DialResult, { kind: 'answered' }>;

/** What an exchange came to, and what its answer says. */
export interface ReadExchange {
  readonly result: DialResult;
  readonly reading: AnswerReading;
  /** What another thread made of a large answer; undefined: the answer is read here. */
  readonly written: WrittenAnswer | undefined;
}

/**
 * Above this, an answer is read in another thread. A hostile one of this size takes up to 100 ms to redact, in slices
 * (`redact-in-turns.ts`), and 15 ms to parse and to write.
 */
const LARGE_BYTES = 64 * 1024;

const isShown = ({ ready, plan }: AttemptCall): boolean => plan.debug || ready.provider.exposeErrorBody;

/** Whether an answer is read in another thread. Of an answer without 2xx only what is shown is read. */
export const isLarge = (call: AttemptCall, result: DialResult): result is Answered =>
  result.kind === 'answered' &&
  result.body.length > LARGE_BYTES &&
  (attemptOutcome({ kind: 'answered', status: result.status, outputsPresent: true }) === 'success' || isShown(call));

const failedInstead = ({ status, ms, exception }: Answered, failure: DialFailure): ReadExchange => ({
  result: { kind: 'failed', failure, sent: true, status, ms, exception },
  reading: { exchange: { kind: 'failed', cause: failure.kind }, outputs: null, complete: false, cause: undefined },
  written: undefined,
});

/** At the deadline too, the provider has no part in it: its answer had arrived, and waited for the platform. */
function abortedBy(signal: AbortSignal): DialFailure {
  const failure = abortFailure(signal);
  return failure.kind === 'timeout' ? EXHAUSTED : failure;
}

const tooComplex = (result: Answered): ReadExchange => ({
  result,
  reading: {
    exchange: { kind: 'answered', status: result.status, outputsPresent: false },
    outputs: null,
    complete: false,
    cause: causeOf('answer-too-complex'),
  },
  written: undefined,
});

/** Reads, redacts and writes an answer in another thread. */
export async function readLarge(runtime: Runtime, call: AttemptCall, result: Answered): Promise<ReadExchange> {
  const { ready, plan, live } = call;
  const work = {
    status: result.status,
    contentType: contentTypeOf(result.headers),
    headers: headerMap(result.headers),
    bytes: result.body,
    outputs: ready.provider.outputs,
    isShown: isShown(call),
  };
  const { namespace: tenant, redactor, vault } = plan.orbiset;
  const secrets = [...vault.values()].map(({ name, value }) => ({ name, value }));
  try {
    const read = await runtime.answers.read(work, { tenant, redactor, secrets }, live.signal);
    if (read.kind === 'too-complex') return tooComplex(result);
    if (read.kind === 'unavailable') return failedInstead(result, EXHAUSTED);
    return { result, reading: { ...read.answer.reading, outputs: null }, written: read.answer };
  } catch (error) {
    if (!live.signal.aborted) throw error;
    return failedInstead(result, abortedBy(live.signal));
  }
}

/** Outputs of a large answer as UTF-8: as the caller gets them, and as the receipt commits to them. */
export interface OutputBytes {
  readonly json: Uint8Array;
  readonly jcs: Uint8Array;
}

/** @returns undefined: the answer has no outputs */
export function bytesOf({ outputs }: WrittenAnswer, policy: RunPolicy | undefined): OutputBytes | undefined {
  if (outputs === null) return undefined;
  const hidden = policy?.bound.redactResponse ?? [];
  const json = outputsBytes(outputs, hidden, 'json');
  return { json, jcs: isCanonical(outputs) ? json : outputsBytes(outputs, hidden, 'jcs') };
}
