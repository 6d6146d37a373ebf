import { verdictOf, type AttemptVerdict } from '../../core/attempts/breaker.ts';
import { attemptTimeoutMs } from '../../core/attempts/attempt-timeout.ts';
import {
  nextStep,
  pauseOf,
  refusalStanding,
  type Availability,
  type Candidate,
  type AttemptState,
  type StopReason,
} from '../../core/attempts/plan.ts';
import type { AttemptCause } from '../../core/attempts/reasons.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { isTenantRefusal } from '../../core/attempts/classify.ts';
import type { ReadyAttempt } from '../../core/run/eligibility.ts';
import { attempt, type AttemptResult } from './attempt.ts';
import type { OrbFailover, Sender } from '../runtime/failover/orb-failover.ts';
import { shareOf } from './plan.ts';
import type { Run } from './start.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The results of all calls of a run. */
export interface CallResults {
  /** In order; the last one may be a success. */
  readonly results: readonly AttemptResult[];
  /** `cut`: deadline or kill switch came before the next attempt; `failed` also stands for a success. */
  readonly stop: StopReason | 'cut';
  /** Ms from now after which a provider takes calls again. */
  readonly retryAfterMs: number | undefined;
  /** Why each provider could not be called; empty unless the run made no attempt for this reason. */
  readonly refusing: readonly RefusingProvider[];
}

/** A provider that can't be called now. */
export interface RefusingProvider {
  readonly provider: string;
  readonly kind: Exclude<Availability['kind'], 'free'>;
  /** Ms until it can be called. */
  readonly leftMs: number;
  /** Its last failure; undefined: none is known, or the Orb is of another namespace. */
  readonly lastCause: AttemptCause | undefined;
}

/** Keys of the slots that an attempt holds at its provider (security.md S6). */
export const slotKeys = (
  { slotKey }: Pick<CompiledOrb, 'slotKey'>,
  { origin }: Pick<ReadyAttempt, 'origin'>,
): readonly string[] => [slotKey, origin];

const isSuccess = ({ record }: AttemptResult): boolean => record.outcome === 'success';

/** A random number in [0, 1). */
const fraction = (runtime: Runtime): number => Buffer.from(runtime.random(4)).readUInt32BE() / 2 ** 32;

/** The calls of one run: state of the providers, and the attempts so far. */
class RunCalls {
  readonly #runtime: Runtime;
  readonly #run: Run;
  readonly #failover: OrbFailover;
  readonly #senders: ReadonlyMap<string, Sender>;
  readonly #results: AttemptResult[] = [];

  constructor(runtime: Runtime, run: Run) {
    const { orb, orbiset, eligible } = run.plan;
    this.#runtime = runtime;
    this.#run = run;
    this.#failover = runtime.failover.of(orb);
    this.#senders = new Map(eligible.map((ready) => [ready.provider.name, senderOf(runtime, orbiset.fullName, ready)]));
  }

  async all(): Promise<CallResults> {
    const { signal } = this.#run.live;
    this.#failover.budget.run(this.#runtime.clock.monotonic());
    while (!signal.aborted) {
      const situation = this.#situation();
      const step = nextStep(situation);
      if (step.kind === 'stop') return this.#end(step.reason, step.retryAfterMs, situation);
      // Spent before the wait: otherwise all runs that wait for the same moment could use the same remaining budget.
      if (step.charged) this.#failover.budget.spend(situation.now);
      if (step.waitMs > 0 && !(await this.#waited(step.waitMs))) break;
      const result = await this.#call(step.provider, situation);
      if (result !== undefined && isSuccess(result)) return this.#end('failed');
    }
    return this.#end('cut');
  }

  #end(stop: CallResults['stop'], retryAfterMs?: number, situation?: AttemptState): CallResults {
    const isRefused = situation !== undefined && (stop === 'unavailable' || stop === 'quota');
    return { results: this.#results, stop, retryAfterMs, refusing: isRefused ? this.#refusing(situation) : [] };
  }

  #refusing({ candidates, now }: AttemptState): readonly RefusingProvider[] {
    const { orb, orbiset } = this.#run.plan;
    // What another tenant's run came to is not this caller's business.
    const states = orb.namespace === orbiset.namespace ? this.#failover.states() : undefined;
    return candidates.flatMap(({ provider, standing }) => {
      if (standing.kind === 'free') return [];
      const until = standing.kind === 'cooling' ? (standing.asked ?? standing.until) : standing.until;
      const lastCause = states?.get(provider)?.lastFailure?.cause;
      return [{ provider, kind: standing.kind, leftMs: Math.max(0, until - now), lastCause }];
    });
  }

  #situation(): AttemptState {
    const { plan, began } = this.#run;
    const now = this.#runtime.clock.monotonic();
    return {
      candidates: plan.eligible.map(({ provider }) => this.#candidate(provider.name)),
      failed: this.#results,
      maxAttempts: plan.eligible[0].provider.retry.maxAttempts,
      budget: this.#failover.budget.allows(now),
      now,
      deadline: began + plan.timeoutMs,
      random: this.#results.length === 0 ? 0 : fraction(this.#runtime),
    };
  }

  #candidate(provider: string): Candidate {
    const sender = this.#senders.get(provider);
    if (sender === undefined) throw new RangeError('a provider of another run');
    return { provider, standing: this.#failover.standing(provider, sender) };
  }

  async #waited(ms: number): Promise<boolean> {
    const { signal } = this.#run.live;
    return this.#runtime.clock.sleep(ms, signal).then(
      () => true,
      () => false, // the run is over: the caller checks that
    );
  }

  /** @returns undefined: the run is over, or another run is testing whether the provider works */
  async #call(provider: string, situation: AttemptState): Promise<AttemptResult | undefined> {
    const { plan, live } = this.#run;
    const ready = plan.eligible.find((one) => one.provider.name === provider);
    if (ready === undefined) throw new RangeError('a provider of another run');
    const slot = this.#runtime.slots.acquire(shareOf(plan), slotKeys(plan.orb, ready), live.signal);
    const held = slot instanceof Promise ? await slot : slot;
    if (held === undefined) return undefined;
    try {
      const ticket = live.signal.aborted ? undefined : this.#failover.admit(provider);
      if (ticket === undefined) return undefined;
      return await this.#attempt(ready, ticket, attemptTimeoutMs(ready.provider, situation, plan.timeoutMs));
    } finally {
      held.release();
    }
  }

  async #attempt(ready: ReadyAttempt, ticket: number, timeoutMs: number | undefined): Promise<AttemptResult> {
    const { plan, live } = this.#run;
    let verdict: AttemptVerdict = 'nothing';
    try {
      const result = await attempt(this.#runtime, { plan, ready, live, timeoutMs });
      if (result.concernsOrb) {
        verdict = verdictOf[result.record.outcome];
        this.#trace(result);
      }
      this.#results.push(result);
      this.#learn(result);
      return result;
    } finally {
      this.#failover.report(ready.provider.name, ticket, verdict);
    }
  }

  /** Remembers the last failure of a provider, for its status. An attempt that the platform ended says nothing. */
  #trace({ provider, cause, record: { outcome, http_status: httpStatus } }: AttemptResult): void {
    if (cause === undefined) this.#failover.noteSuccess(provider);
    if (cause === undefined || outcome === 'cancelled') return;
    const { orb, orbiset, runId } = this.#run.plan;
    const at = this.#runtime.clock.now();
    const own = orb.namespace === orbiset.namespace;
    this.#failover.noteFailure(provider, { at, outcome, httpStatus, cause, runId: own ? runId : null });
  }

  /** Records a provider's request for a pause: for which callers, and how long. */
  #learn(result: AttemptResult): void {
    const { provider, exchange, usedSecret, retryAfterMs } = result;
    const sender = this.#senders.get(provider);
    if (sender === undefined) return;
    if (isTenantRefusal(exchange, usedSecret)) {
      this.#failover.coolTenant(provider, sender, refusalStanding(exchange, retryAfterMs, this.#until(0)));
      return;
    }
    const { outcome } = result.record;
    if (outcome === 'success') this.#failover.warmTenant(provider, sender);
    const failed = outcome === 'error' || outcome === 'rate_limited';
    if (!failed || retryAfterMs === undefined) return;
    if (result.concernsOrb) this.#failover.cool(provider, retryAfterMs);
    else this.#failover.coolTenant(provider, sender, { kind: 'cooling', ...pauseOf(retryAfterMs, this.#until(0)) });
  }

  #until(ms: number): number {
    return this.#runtime.clock.monotonic() + ms;
  }
}

function senderOf(runtime: Runtime, orbiset: string, { secrets }: ReadyAttempt): Sender {
  const digest = (): string =>
    Buffer.from(runtime.sha256(Buffer.from(JSON.stringify([...secrets])))).toString('base64');
  return { orbiset, secrets: digest };
}

/** Calls providers until one of them succeeds or no further call is allowed (failover.md §12). */
export const callProviders = (runtime: Runtime, run: Run): Promise<CallResults> => new RunCalls(runtime, run).all();
