import type { Clock } from '../../adapters/time/clock.ts';
import { within } from '../../adapters/kube/within.ts';
import { forEachService, type Service, type ServiceState } from '../../core/status/service.ts';
import { stateOfChecks, type CheckFailure, type CheckId, type CheckResult } from '../../core/status/service-state.ts';
import { execute } from './probes/execute.ts';
import { loop } from './probes/loop.ts';
import { measured } from './probes/measured.ts';
import { failed, type Found, type Probe, type ProbeParts, type RoundRun } from './probes/probe.ts';
import { profile } from './probes/profile.ts';
import { proof } from './probes/proof.ts';
import { read } from './probes/read.ts';
import { receipt } from './probes/receipt.ts';
import { receive, type ReceiveResult } from './probes/receive.ts';

/** What a round counts of its checks. */
export interface ProbeObserver {
  readonly took: (service: Service, check: CheckId, seconds: number) => void;
  readonly retried: (service: Service, check: CheckId) => void;
  readonly failed: (service: Service, check: CheckId, code: CheckFailure) => void;
}

export interface RoundMakerParts extends ProbeParts {
  /** Longest time of one check with its repeat, ms. */
  readonly deadlineMs: number;
  /**
   * Whether anything beside the platform answers. When nothing does, it is the prober's network that is down.
   * Absent: there is nothing to compare with.
   */
  readonly controls?: (signal: AbortSignal) => Promise<boolean>;
  readonly observer: ProbeObserver;
}

/** What a round found of one service. */
interface ServiceFound {
  readonly state: ServiceState;
  readonly checks: readonly CheckResult[];
}

export type RoundFound = Readonly<Record<Service, ServiceFound>>;

/** A try never rejects: a fault of our own is a failure like others. */
async function tryOnce(probe: Probe, signal: AbortSignal): Promise<Found> {
  try {
    return await probe(signal);
  } catch {
    return failed(signal.aborted ? 'timeout' : 'internal');
  }
}

interface Tried {
  readonly found: Found;
  readonly ms: number;
  readonly isRepeat: boolean;
}

/** A check that fails is tried once more at once, within its deadline; what the second try says counts. */
async function tryTwice(probe: Probe, clock: Clock, signal: AbortSignal): Promise<Tried> {
  const startedAt = clock.monotonic();
  const found = await tryOnce(probe, signal);
  if (found.kind !== 'failed' || found.code === 'needs-failed-check' || signal.aborted)
    return { found, ms: clock.monotonic() - startedAt, isRepeat: false };
  const againAt = clock.monotonic();
  return { found: await tryOnce(probe, signal), ms: clock.monotonic() - againAt, isRepeat: true };
}

function resultOf(id: CheckId, { found, ms }: Tried): CheckResult {
  if (found.kind === 'left-out') return { kind: 'left-out', id };
  return { ...found, id, ms };
}

/** Makes the checks of one round. */
class RoundMaker {
  readonly #parts: RoundMakerParts;
  readonly #signal: AbortSignal;

  constructor(parts: RoundMakerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  async #check(service: Service, id: CheckId, probe: Probe): Promise<CheckResult> {
    const { clock, deadlineMs: ms, observer } = this.#parts;
    const tried = await within({ clock, ms, what: `the check ${id}` }, this.#signal, (scope) =>
      tryTwice(probe, clock, scope),
    );
    const result = resultOf(id, tried);
    if (tried.isRepeat) observer.retried(service, id);
    if (result.kind !== 'left-out') observer.took(service, id, result.ms / 1000);
    if (result.kind === 'failed') observer.failed(service, id, result.code);
    return result;
  }

  /** @param settled called once, with what other services need of the run */
  async runtime(settled: (run: RoundRun) => void): Promise<readonly CheckResult[]> {
    let run: RoundRun = { kind: 'failed' };
    const result = await this.#check('runtime', 'execute', async (signal) => {
      const executed = await execute(this.#parts, signal);
      ({ run } = executed);
      return executed.found;
    });
    settled(run);
    return [result];
  }

  async ledger(run: Promise<RoundRun>): Promise<readonly CheckResult[]> {
    const done = await run;
    return [
      await this.#check('reputation_ledger', 'receipt', (signal) => receipt(this.#parts, done, signal)),
      await this.#check('reputation_ledger', 'proof', (signal) => proof(this.#parts, signal)),
      await this.#check('reputation_ledger', 'profile', (signal) => profile(this.#parts, signal)),
    ];
  }

  async engine(run: Promise<RoundRun>): Promise<readonly CheckResult[]> {
    const done = await run;
    return [
      await this.#check('observable_engine', 'measured', (signal) => measured(this.#parts, done, signal)),
      await this.#check('observable_engine', 'loop', (signal) => loop(this.#parts, signal)),
    ];
  }

  async ingestion(): Promise<readonly CheckResult[]> {
    let received: ReceiveResult = { found: failed('internal'), deliveryId: undefined };
    const first = await this.#check('ingestion', 'receive', async (signal) => {
      received = await receive(this.#parts, signal);
      return received.found;
    });
    return [first, await this.#check('ingestion', 'read', (signal) => read(this.#parts, received, signal))];
  }

  /** Whether the prober can judge: something answers, or nothing was found that needs a comparison. */
  async controls(): Promise<boolean> {
    const { clock, deadlineMs: ms, controls } = this.#parts;
    if (controls === undefined) return true;
    return within({ clock, ms, what: 'the control targets' }, this.#signal, controls).catch(() => false);
  }
}

const isFine = (checks: readonly CheckResult[]): boolean => checks.every(({ kind }) => kind !== 'failed');

/**
 * Makes one round: all services at once, the checks of a service one after the other (status.md §3).
 * @throws what the signal says, when it ends the round
 */
export async function makeRound(parts: RoundMakerParts, signal: AbortSignal): Promise<RoundFound> {
  const maker = new RoundMaker(parts, signal);
  const { promise: run, resolve } = Promise.withResolvers<RoundRun>();
  const [runtime, reputation_ledger, observable_engine, ingestion, hasNetwork] = await Promise.all([
    maker.runtime(resolve),
    maker.ledger(run),
    maker.engine(run),
    maker.ingestion(),
    maker.controls(),
  ]);
  signal.throwIfAborted();
  const done = await run;
  if (done.kind === 'done') parts.memory.lastReceipt = done.receiptId;
  const checks = { runtime, reputation_ledger, observable_engine, ingestion };
  const isBlind = !hasNetwork && !Object.values(checks).every(isFine);
  return forEachService((service) => ({
    checks: checks[service],
    state: isBlind ? 'unknown' : stateOfChecks(service, checks[service]),
  }));
}
