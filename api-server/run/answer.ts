import { concatBytes, encodeUtf8 } from '../../core/json/bytes.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { RunProblemCode } from '../../core/attempts/classify.ts';
import type { AttemptCause } from '../../core/attempts/reasons.ts';
import { shownBody } from '../../core/run/shown-body.ts';
import { runStatusOf } from '../../core/run/run-status.ts';
import { problem } from '../http/problem.ts';
import { json } from '../http/reply.ts';
import type { Reply } from '../http/route.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { AttemptResult } from './attempt.ts';
import type { CallResults } from './call-providers.ts';
import { causesOf, explained, nextOptions, whyText } from './failure-text.ts';
import type { FinishedRun } from './finished-run.ts';
import { denialOptions } from './policy-answer.ts';
import { limitOptions } from './policy-limits.ts';
import { summaryOf } from './seal-run.ts';

/** For whom an answer is written. */
type Audience =
  /** The caller of the run. Only this one gets the openings: they are returned once (trust.md §1.4). */
  | 'caller'
  /** A later request with the same `Idempotency-Key`. It gets neither openings nor the debug output of the first one. */
  | 'repeat';

/** The body of an answer as a person may see it; another thread has made that of a large one. */
const shownOf = ({ written }: AttemptResult, body: Uint8Array, redactor: Redactor): string | undefined =>
  written === undefined ? shownBody(body, redactor) : written.shown;

/**
 * The body of the provider's answer, if manifest or `?debug=true` ask for it: redacted, then cut (security.md S26). Never
 * one that holds what policies keep back.
 */
function providerBody(finished: FinishedRun, audience: Audience): JsonObject {
  const { run, problem: code, decisive, hidesBody } = finished;
  const { plan } = run;
  if (hidesBody) return {};
  const isExposed = code !== undefined && decisive?.ready.provider.exposeErrorBody === true;
  const isShown = isExposed || (plan.debug && audience === 'caller');
  if (!isShown || decisive?.body === undefined) return {};
  const body = shownOf(decisive, decisive.body, plan.orbiset.redactor);
  return body === undefined ? {} : { provider_body: body };
}

function openings({ run, outputSalt }: FinishedRun, audience: Audience): JsonObject {
  if (audience === 'repeat') return {};
  const input = { salt: run.inputSalt };
  return {
    openings: outputSalt === undefined ? { input } : { input, output: { salt: outputSalt } },
  };
}

/** The answer with outputs that are JSON already: their text is never made, which for 4 MiB takes long. */
function withOutputBytes(head: JsonObject, outputs: Uint8Array, rest: JsonObject): Reply {
  const before = `${JSON.stringify(head).slice(0, -1)},"outputs":`;
  const after = `,${JSON.stringify(rest).slice(1)}`;
  return { ...json({}), body: concatBytes(encodeUtf8(before), outputs, encodeUtf8(after)) };
}

function success(finished: FinishedRun, audience: Audience): Reply {
  const { sealed, outputBytes } = finished;
  const { execution } = sealed.record;
  const head = { run_id: execution.run_id, status: runStatusOf[execution.outcome] };
  if (outputBytes !== undefined) return withOutputBytes(head, outputBytes, afterOutputs(finished, audience));
  return json({
    ...head,
    outputs: finished.outputs ?? {},
    ...afterOutputs(finished, audience),
  });
}

function afterOutputs(finished: FinishedRun, audience: Audience): JsonObject {
  const {
    sealed: { record },
    missingOutputs,
  } = finished;
  return {
    ...(missingOutputs.length === 0 ? {} : { missing_outputs: missingOutputs }),
    receipt: summaryOf(record, true),
    execution_ms: record.execution.duration_ms,
    ...openings(finished, audience),
    ...providerBody(finished, audience),
  };
}

const CARRIES_STATUS: ReadonlySet<RunProblemCode> = new Set([
  'provider-rejected',
  'provider-refused-credential',
  'provider-rate-limited',
  'provider-failed',
]);

function providerStatus({ decisive }: FinishedRun, code: RunProblemCode): JsonObject {
  const status = decisive?.record.http_status ?? null;
  return CARRIES_STATUS.has(code) && status !== null ? { provider_status: status } : {};
}

const retryAfter = ({ retryAfterMs }: CallResults): Readonly<Record<string, string>> =>
  retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };

/** How a problem shows its run. */
interface RunShown {
  readonly status: string;
  /** Its receipt verifies. */
  readonly isValid: boolean;
  readonly causes?: readonly (AttemptCause | undefined)[];
}

/**
 * The members of a problem that show a run with its receipt.
 * @param causes of the attempts, in their order; none in an answer that is stored
 */
export function runView(
  { sealed: { record } }: Pick<FinishedRun, 'sealed'>,
  { status, isValid, causes = [] }: RunShown,
): JsonObject {
  const { run_id, attempts } = record.execution;
  return {
    run_id,
    status,
    attempts: attempts.map((attempt, index) => explained(attempt, causes[index])),
    receipt: summaryOf(record, isValid),
  };
}

function failure(finished: FinishedRun, code: RunProblemCode, audience: Audience): Reply {
  const { calls, run, sealed, denied } = finished;
  const maybeExecuted = calls.results.some((result) => result.maybeExecuted) || denied !== undefined;
  const denial = denied === undefined ? limitOptions(run.plan, calls) : denialOptions(denied, run.plan.orbiset);
  // A stored answer has no reasons: the ledger holds none (trust.md §1.1).
  const isTold = audience === 'caller' && denied === undefined;
  const detail = denial.detail ?? (isTold ? whyText(finished) : undefined);
  const status = runStatusOf[sealed.record.execution.outcome];
  return problem(run.plan, code, {
    ...(isTold ? nextOptions(finished, code, maybeExecuted) : {}),
    ...denial,
    ...(detail === undefined ? {} : { detail }),
    headers: retryAfter(calls),
    extensions: {
      ...denial.extensions,
      run: runView(finished, { status, isValid: true, causes: isTold ? causesOf(calls) : [] }),
      ...openings(finished, audience),
      ...(maybeExecuted ? { maybe_executed: true } : {}),
      ...providerStatus(finished, code),
      ...providerBody(finished, audience),
    },
  });
}

/** The HTTP answer of a run that has its receipt. */
export const answer = (finished: FinishedRun, audience: Audience = 'caller'): Reply =>
  finished.problem === undefined ? success(finished, audience) : failure(finished, finished.problem, audience);

/** The answer to a run whose receipt does not verify with the published key. */
export const misconfigured = (finished: FinishedRun): Reply =>
  problem(finished.run.plan, 'signing-misconfigured', {
    extensions: { run: runView(finished, { status: 'failed', isValid: false }), maybe_executed: true },
  });

/** A complete answer in the form that is stored under an `Idempotency-Key`. */
export const storedText = ({ status, headers, body }: Reply): string =>
  JSON.stringify({ status, headers, body: typeof body === 'string' ? body : Buffer.from(body).toString('utf8') });

/** The answer to a repeat of the request, in its stored form. */
export const answerText = (finished: FinishedRun): string => storedText(answer(finished, 'repeat'));
