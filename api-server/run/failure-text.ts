import { spanText } from '../../core/attempts/cause.ts';
import type { RunProblemCode } from '../../core/attempts/classify.ts';
import { ATTEMPT_REASONS, type AttemptCause } from '../../core/attempts/reasons.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { AttemptRecord } from '../../core/receipt/record.ts';
import type { ProblemOptions } from '../http/problem-options.ts';
import type { CallResults, RefusingProvider } from './call-providers.ts';
import type { FinishedRun } from './finished-run.ts';

/** Whether no byte of the run's requests reached a provider: the run is safe to repeat. */
export const isUnsent = ({ results }: CallResults): boolean => results.every(({ sent }) => !sent);

/** Of all attempts, in their order; undefined for a good one. */
export const causesOf = ({ results }: CallResults): readonly (AttemptCause | undefined)[] =>
  results.map(({ cause }) => cause);

/** An attempt as its receipt has it, with what no receipt holds: why it failed. */
export const explained = (attempt: AttemptRecord, cause: AttemptCause | undefined): JsonObject =>
  cause === undefined ? { ...attempt } : { ...attempt, reason: cause.reason, detail: cause.detail };

/** Codes whose next step follows from the reason; the other codes name a better one themselves. */
const EXPLAINED: ReadonlySet<RunProblemCode> = new Set(['provider-failed', 'provider-timeout']);

const SAME_KEY = 'Nothing was sent, so the same Idempotency-Key may be used again.';
const OTHER_KEY = 'An Idempotency-Key keeps this answer: send another one.';
const LOOK_FIRST = 'The provider may have done its work: look there before you try again.';

function repeatText(calls: CallResults, maybeExecuted: boolean): string {
  if (maybeExecuted) return LOOK_FIRST;
  return isUnsent(calls) ? SAME_KEY : OTHER_KEY;
}

const NO_CREDENTIAL =
  "The request carried no vault entry. If the provider wants a credential, write it as a header of the manifest, for example Authorization: 'Bearer {{orbiset.secrets.KEY}}', and put KEY into the vault.";

/** The next step after 401, 402 or 403: it names what was sent, because other entries of the vault are not at fault. */
function credentialText(entries: readonly string[]): string {
  if (entries.length === 0) return NO_CREDENTIAL;
  const sent = entries.length === 1 ? 'the vault entry' : 'the vault entries';
  return `Check ${sent} ${entries.join(', ')} that the request carried, and the account (402: unpaid), with the provider.`;
}

/** The next step by the reason of the attempt that decided; none: that of the code. */
export function nextOptions(
  { calls, decisive }: Pick<FinishedRun, 'calls' | 'decisive'>,
  code: RunProblemCode,
  maybeExecuted: boolean,
): Pick<ProblemOptions, 'next'> {
  if (decisive?.cause === undefined) return {};
  if (decisive.cause.reason === 'credential-refused')
    return { next: credentialText([...decisive.ready.secrets.keys()]) };
  if (!EXPLAINED.has(code)) return {};
  return { next: `${ATTEMPT_REASONS[decisive.cause.reason].next} ${repeatText(calls, maybeExecuted)}` };
}

const seconds = (ms: number): string => spanText(Math.ceil(ms / 1000) * 1000);

const REFUSING: Readonly<Record<RefusingProvider['kind'], (left: string) => string>> = {
  breaker: (left) => `breaker open for ${left} more`,
  cooling: (left) => `asked for a pause, ${left} more`,
  quota: (left) => `quota of this Orbiset used up, ${left} more`,
  'quota-unannounced': (left) => `quota of this Orbiset used up, not called for ${left} more`,
  credential: (left) => `refused the credential of this Orbiset, not called for ${left} more`,
};

function refusingText({ provider, kind, leftMs, lastCause }: RefusingProvider): string {
  const last = lastCause === undefined ? '' : ` (last failure: ${lastCause.detail})`;
  return `${provider}: ${REFUSING[kind](seconds(leftMs))}${last}`;
}

/** Why a run failed, in one sentence. Breakers and pauses are those of this process, which is named. */
export function whyText({ decisive, calls, replica }: FinishedRun): string | undefined {
  if (decisive?.cause !== undefined)
    return `Provider ${decisive.provider}: ${decisive.cause.detail.replace(/\.$/, '')}.`;
  if (calls.refusing.length === 0) return undefined;
  return `${calls.refusing.map(refusingText).join('; ')}. Nothing was sent. Replica: ${replica}.`;
}
