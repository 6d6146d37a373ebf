import { attemptTimeoutMs } from '../attempts/attempt-timeout.ts';
import { RetryBudget } from '../attempts/budget.ts';
import { attemptOutcome, decisiveAttempt, endWithoutAttempt, runEnd, type RunEnd } from '../attempts/classify.ts';
import { nextStep, type AttemptState, type StopReason } from '../attempts/plan.ts';
import { failureOf, type Failure, type RepeatPolicy } from '../attempts/repeat.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { isLoopback } from '../network/loopback.ts';
import type { CompiledOrb } from '../orb/compiled-orb.ts';
import { providersInOrder } from '../orb/effective-provider.ts';
import { createRedactor } from '../redaction/create-redactor.ts';
import { selectProviders, type EligibleProviders, type ReadyAttempt } from '../run/eligibility.ts';
import { runStatusOf } from '../run/run-status.ts';
import type { RenderedRequest } from '../template/rendered-request.ts';
import { mockAnswer } from './mock-answer.ts';
import { MockProviders, type MockedAttempt } from './mock-providers.ts';
import type { RunFacts } from './run-facts.ts';
import type { MockResponse, TestCase } from './suite.ts';

/** The result of a simulated run: facts to compare, or why no run started. */
export type MockRun =
  | { readonly kind: 'ran'; readonly facts: RunFacts }
  | { readonly kind: 'refused'; readonly why: string };

interface EndedAttempt extends MockedAttempt {
  readonly failure: Failure;
  readonly repeats: RepeatPolicy;
  readonly outputs: JsonObject | null;
}

/** The vault of a case: its secrets, which may be sent to any host because nothing leaves the process. */
const vaultOf = (
  secrets: TestCase['secrets'],
): ReadonlyMap<string, { name: string; value: Uint8Array; allowedHosts: string[] }> =>
  new Map(
    Object.entries(secrets).map(([name, text]) => [
      name,
      { name, value: encodeUtf8(text.replace(/\n$/, '')), allowedHosts: ['*'] },
    ]),
  );

/** Origins that runs may send secrets to without TLS (security.md §3.1): of the allowed ones those of this machine. */
const cleartextOf = (allowedOrigins: readonly string[]): ReadonlySet<string> =>
  new Set(
    allowedOrigins.flatMap((origin) => {
      const url = URL.parse(origin);
      return url !== null && isLoopback(url.hostname) ? [url.origin] : [];
    }),
  );

/** No provider has a response for this attempt. */
class NoResponse extends Error {}

/** One simulated run on a virtual clock; it begins at 0 ms and without jitter, so it always ends in the same way. */
class MockCalls {
  readonly #eligible: EligibleProviders;
  readonly #responses: readonly MockResponse[];
  readonly #timeoutMs: number;
  readonly #providers: MockProviders;
  readonly #budget = new RetryBudget();
  readonly attempts: EndedAttempt[] = [];
  now = 0;

  constructor(orb: CompiledOrb, eligible: EligibleProviders, responses: readonly MockResponse[]) {
    this.#eligible = eligible;
    this.#responses = responses;
    this.#timeoutMs = eligible[0].provider.timeoutMs;
    this.#providers = new MockProviders(orb);
  }

  /** The request of the first attempt; undefined before it. */
  get first(): RenderedRequest | undefined {
    const [attempt] = this.attempts;
    return attempt === undefined ? undefined : this.#ready(attempt.provider).request;
  }

  /** The loop of `RunCalls` in the API, without sockets, slots and kill switches. It ends: attempts are bounded. */
  all(): StopReason | 'cut' {
    this.#budget.run(this.now);
    while (this.now < this.#timeoutMs) {
      const situation = this.#situation();
      const step = nextStep(situation);
      if (step.kind === 'stop') return step.reason;
      if (step.charged) this.#budget.spend(this.now);
      this.now += step.waitMs;
      const ticket = this.#providers.admit(step.provider, this.now);
      if (ticket === undefined) return 'unavailable';
      const attempt = this.#attempt(step.provider, situation);
      this.#providers.report(ticket, attempt, this.now);
      if (attempt.record.outcome === 'success') return 'failed';
    }
    return 'cut';
  }

  #situation(): AttemptState {
    return {
      candidates: this.#eligible.map(({ provider: { name } }) => ({
        provider: name,
        standing: this.#providers.standing(name, this.now),
      })),
      failed: this.attempts,
      maxAttempts: this.#eligible[0].provider.retry.maxAttempts,
      budget: this.#budget.allows(this.now),
      now: this.now,
      deadline: this.#timeoutMs,
      random: 0,
    };
  }

  #ready(name: string): ReadyAttempt {
    const ready = this.#eligible.find(({ provider }) => provider.name === name);
    if (ready === undefined) throw new RangeError('a provider of another run');
    return ready;
  }

  /** One response an attempt of that provider; the last one repeats (trust.md §8.3). */
  #responseOf(name: string): MockResponse {
    const own = this.#responses.filter(({ provider }) => provider === name);
    const before = this.attempts.filter(({ provider }) => provider === name).length;
    const response = own[Math.min(before, own.length - 1)];
    if (response === undefined)
      throw new NoResponse(`the provider ${name} was called, and the case has no response of it`);
    return response;
  }

  #attempt(name: string, situation: AttemptState): EndedAttempt {
    const { provider, usesSecret } = this.#ready(name);
    const left = this.#timeoutMs - this.now;
    const limit = Math.min(left, attemptTimeoutMs(provider, situation, this.#timeoutMs) ?? left);
    const ended = mockAnswer(this.#responseOf(name), provider, limit);
    this.now += ended.ms;
    const attempt: EndedAttempt = {
      provider: name,
      usedSecret: usesSecret,
      exchange: ended.exchange,
      record: {
        provider: name,
        outcome: attemptOutcome(ended.exchange),
        http_status: ended.status,
        duration_ms: Math.round(ended.ms),
      },
      failure: failureOf(ended, provider.retry),
      repeats: provider.repeats,
      retryAfterMs: ended.retryAfterMs,
      outputs: ended.outputs,
    };
    this.attempts.push(attempt);
    return attempt;
  }
}

const endOf = ({ attempts }: MockCalls, stop: StopReason | 'cut'): RunEnd => {
  const decisive = decisiveAttempt(attempts);
  return decisive === undefined ? endWithoutAttempt[stop] : runEnd(decisive.exchange, decisive.usedSecret);
};

/** Outputs as a caller gets them: secrets of the case are redacted. */
function outputsOf(orb: CompiledOrb, { attempts }: MockCalls, secrets: TestCase['secrets']): JsonObject | null {
  const outputs = attempts.at(-1)?.outputs ?? null;
  if (!orb.hasOutputs || outputs === null) return orb.hasOutputs ? null : {};
  const { value } = createRedactor([...vaultOf(secrets).values()]).json(outputs);
  return isJsonObject(value) ? value : {};
}

function factsOf(orb: CompiledOrb, calls: MockCalls, item: TestCase): RunFacts {
  const end = endOf(calls, calls.all());
  return {
    status: runStatusOf[end.outcome],
    outcome: end.outcome,
    outputs: end.outcome === 'success' ? outputsOf(orb, calls, item.secrets) : null,
    request: calls.first,
    attempts: calls.attempts.length,
    activeProvider: calls.attempts.at(-1)?.provider,
    executionMs: Math.round(calls.now),
  };
}

const refused = (why: string): MockRun => ({ kind: 'refused', why });

/**
 * Runs a mock case (trust.md §8.3): the templates, the order of providers, failover and outputs of a real run, with the
 * responses of the case and a virtual clock. Nothing leaves the process. `ran` says what happened, not whether it was
 * expected.
 * @param allowedOrigins those of `--egress-allow`, as when the manifest was compiled
 */
export function mockRun(orb: CompiledOrb, item: TestCase, allowedOrigins: readonly string[]): MockRun {
  const inputs = orb.checkInputs(item.inputs);
  if (!inputs.ok) return refused(inputs.findings[0]?.detail ?? 'the inputs do not fit');
  const context = { inputs: inputs.value, vault: vaultOf(item.secrets), cleartextOrigins: cleartextOf(allowedOrigins) };
  const selection = selectProviders(providersInOrder(orb, { now: 0 }), context);
  if (selection.kind === 'input') return refused(`${selection.problem.pointer}: ${selection.problem.detail}`);
  if (selection.kind === 'ineligible')
    return refused(`no provider can be called: ${selection.code} ${selection.entry}`);
  const calls = new MockCalls(orb, selection.eligible, item.responses);
  try {
    return { kind: 'ran', facts: factsOf(orb, calls, item) };
  } catch (error) {
    if (error instanceof NoResponse) return refused(error.message);
    throw error;
  }
}
