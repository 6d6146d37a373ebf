import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import type { RunProblemCode } from '../../core/attempts/classify.ts';
import { shownBody } from '../../core/run/shown-body.ts';
import type { RunOutcome } from '../../core/receipt/record.ts';
import { problem } from '../http/problem.ts';
import type { Reply } from '../http/route.ts';
import type { AttemptResult } from './attempt.ts';
import { summaryOf, type SealedRun } from './ending.ts';
import type { RunPlan } from './plan.ts';

/** All data of an answer; the same for the caller and for a replay. */
export interface RunAnswer {
  readonly plan: RunPlan;
  readonly problem: RunProblemCode | undefined;
  readonly outputs: JsonObject;
  /** Absent in the stored form: openings are returned only once (trust.md §1.4). */
  readonly openings?: JsonObject;
  /** The attempt that decides how the run ended. */
  readonly attempt: AttemptResult | undefined;
  /** True when at least one attempt may have had its effect. */
  readonly maybeExecuted: boolean;
  /** Ms from now after which a provider takes calls again; undefined: not known. */
  readonly retryAfterMs: number | undefined;
  readonly sealed: SealedRun;
}

const statusOf: Readonly<Record<RunOutcome, 'completed' | 'failed' | 'timed_out' | 'denied'>> = {
  success: 'completed',
  orb_error: 'failed',
  timeout: 'timed_out',
  policy_denied: 'denied',
  caller_error: 'failed',
  platform_error: 'failed',
};

/** The body of the provider's answer, if manifest or `?debug=true` ask for it: redacted, then cut (security.md S26). */
function providerBody(answer: RunAnswer): string | undefined {
  const { plan, attempt } = answer;
  const shown = plan.debug || (answer.problem !== undefined && attempt?.ready.provider.exposeErrorBody === true);
  if (!shown || attempt?.body === undefined) return undefined;
  return shownBody(attempt.body, plan.orbiset.redactor);
}

const withBody = (body: string | undefined): JsonObject => (body === undefined ? {} : { provider_body: body });
const withOpenings = ({ openings }: RunAnswer): JsonObject => (openings === undefined ? {} : { openings });

const json = (status: number, body: JsonValue): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function success(answer: RunAnswer): Reply {
  const { execution } = answer.sealed.record;
  return json(200, {
    run_id: execution.run_id,
    status: statusOf[execution.outcome],
    outputs: answer.outputs,
    receipt: summaryOf(answer.sealed.record, true),
    execution_ms: execution.duration_ms,
    ...withOpenings(answer),
    ...withBody(providerBody(answer)),
  });
}

const CARRIES_STATUS: ReadonlySet<RunProblemCode> = new Set([
  'provider-rejected',
  'provider-refused-credential',
  'provider-rate-limited',
  'provider-failed',
]);

function providerStatus(answer: RunAnswer): JsonObject {
  const status = answer.attempt?.record.http_status ?? null;
  return answer.problem !== undefined && CARRIES_STATUS.has(answer.problem) && status !== null
    ? { provider_status: status }
    : {};
}

const retryAfter = ({ retryAfterMs }: RunAnswer): Readonly<Record<string, string>> =>
  retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };

function failure(answer: RunAnswer, code: RunProblemCode): Reply {
  const { record } = answer.sealed;
  const { execution } = record;
  return problem(answer.plan, code, {
    headers: retryAfter(answer),
    extensions: {
      run: {
        run_id: execution.run_id,
        status: statusOf[execution.outcome],
        attempts: execution.attempts.map((attempt) => ({ ...attempt })),
        receipt: summaryOf(record, true),
      },
      ...withOpenings(answer),
      ...(answer.maybeExecuted ? { maybe_executed: true } : {}),
      ...providerStatus(answer),
      ...withBody(providerBody(answer)),
    },
  });
}

/** The HTTP answer of a run that has its receipt. */
export const replyOf = (answer: RunAnswer): Reply =>
  answer.problem === undefined ? success(answer) : failure(answer, answer.problem);

/** A complete answer in the form that is stored under an `Idempotency-Key`. */
export const storedText = ({ status, headers, body }: Reply): string => JSON.stringify({ status, headers, body });

/** The answer to a repeat of the request: without openings, and without the debug output of the first request. */
export const answerText = ({ openings: _told, ...answer }: RunAnswer): string =>
  storedText(replyOf({ ...answer, plan: { ...answer.plan, debug: false } }));
