import type { Catalog } from '../../adapters/catalog/port.ts';
import { LedgerError, type Ledger, type ReplayUpdate } from '../../adapters/ledger/port.ts';
import { ReplayError, type ReplayFailure, type ReplayProgress } from '../../adapters/replay-worker/port.ts';
import type { ReplayRunner } from '../../adapters/replay-worker/replay-runner.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { ReplayCounters, ReplayEnd } from './replay-metrics.ts';
import { replayJob, requestJson, type ReplayRequest } from './replay-request.ts';
import { gateJson, resultJson, signedResult, totalsOf } from './replay-result.ts';

export interface ReplaysDeps {
  readonly ledger: Pick<Ledger, 'addReplay' | 'updateReplay' | 'addReplayChanges'>;
  readonly runner: Pick<ReplayRunner, 'run'>;
  readonly catalog: Pick<Catalog, 'orbisets'>;
  readonly keys: KeysDocument;
  readonly sealing: Pick<SealTools, 'signer' | 'encoding'>;
  readonly issuer: string;
  /** Instance name of this process. */
  readonly owner: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly counters: ReplayCounters;
  /** A replay of a policy is completed: its gate is decided again. */
  readonly replayed: (namespace: string, name: string) => Promise<void>;
}

/** Most replays of a tenant that run at a time (policy.md §5). */
export const MOST_RUNNING = 2;
/** Changes that the ledger takes in one call. */
const SLICE = 1000;

interface Running {
  readonly replayId: string;
  readonly request: ReplayRequest;
  /** Of the process, ms. */
  readonly began: number;
  readonly cancel: AbortController;
  /** What was found so far. */
  progress: ReplayProgress | undefined;
}

const CANCELLED = new Error('the replay was cancelled');
const STOPPING = new Error('the process is stopping');

/** The replays of this process: started, followed, signed when they are complete, and ended with the process. */
export class Replays {
  readonly #deps: ReplaysDeps;
  readonly #running = new Map<string, { readonly replay: Running; readonly ended: Promise<void> }>();
  #isClosed = false;

  constructor(deps: ReplaysDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a replay. It is stored when this returns.
   * @returns undefined: as many replays of the tenant run as may @throws LedgerError
   */
  async start(request: ReplayRequest): Promise<string | undefined> {
    const { ledger, clock, random, owner, catalog, keys } = this.#deps;
    if (this.#isClosed) throw new LedgerError('ledger-closed', 'the process is stopping');
    const now = clock.now();
    const replayId = newId('rpl_', now, random);
    const { namespace, name, digest } = request.definition;
    const added = await ledger.addReplay(
      {
        replayId,
        tenant: request.tenant,
        namespace,
        name,
        policyDigest: digest,
        startedAt: now,
        owner,
        request: JSON.stringify(requestJson(request)),
      },
      MOST_RUNNING,
    );
    if (added.kind === 'too-many') return undefined;
    const cancel = new AbortController();
    const replay: Running = { replayId, request, began: clock.monotonic(), cancel, progress: undefined };
    if (this.#isClosed) cancel.abort(STOPPING);
    const job = replayJob(request, { catalog, keys, now });
    const work = this.#deps.runner.run(job, (progress) => this.#note(replay, progress), cancel.signal);
    this.#running.set(replayId, { replay, ended: this.#follow(replay, work) });
    return replayId;
  }

  /** Ends a running replay of this process; one that ended stays as it is. Resolves when it has ended. */
  async cancel(replayId: string): Promise<void> {
    const found = this.#running.get(replayId);
    found?.replay.cancel.abort(CANCELLED);
    await found?.ended;
  }

  /** Ends the running replays as `aborted`. Call it before the ledger is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { replay } of running) replay.cancel.abort(STOPPING);
    await Promise.all(running.map(({ ended }) => ended));
  }

  /** Stores what a chunk found. @throws LedgerError */
  async #note(replay: Running, progress: ReplayProgress): Promise<void> {
    const { ledger, clock, counters } = this.#deps;
    const { replayId, cancel, progress: before } = replay;
    counters.evaluated(progress.summary.evaluated - (before?.summary.evaluated ?? 0));
    counters.mismatched(progress.mismatches - (before?.mismatches ?? 0));
    replay.progress = progress;
    for (let at = 0; at < progress.changes.length; at += SLICE) {
      const { kind } = await ledger.addReplayChanges(replayId, progress.changes.slice(at, at + SLICE));
      if (kind === 'ended') cancel.abort(CANCELLED);
    }
    if (progress.isDone) return;
    const result = JSON.stringify(resultJson(progress, clock.monotonic() - replay.began));
    const { kind } = await ledger.updateReplay(replayId, { status: 'running', endedAt: null, result });
    if (kind === 'ended') cancel.abort(CANCELLED);
  }

  /** Waits for the end of a replay, and stores it. Never rejects. */
  async #follow(replay: Running, work: Promise<void>): Promise<void> {
    const { logger } = this.#deps;
    const { replayId, cancel } = replay;
    try {
      await work.then(
        () => this.#complete(replay),
        (error: unknown) => this.#endEarly(replay, error),
      );
    } catch (error) {
      logger.error('the end of a replay could not be stored', { replay_id: replayId, error });
    } finally {
      cancel.abort(CANCELLED);
      this.#running.delete(replayId);
    }
  }

  async #complete({ replayId, request, began, progress }: Running): Promise<void> {
    const { clock, issuer, sealing, logger, replayed } = this.#deps;
    if (progress === undefined) throw new TypeError('a replay ended without a result');
    const endedAt = clock.now();
    const totals = totalsOf(request, progress);
    const result = { ...resultJson(progress, clock.monotonic() - began), gate: gateJson(request, totals) };
    const jws = signedResult({ replayId, issuer, request, result, endedAt }, sealing);
    await this.#end(replayId, { status: 'completed', endedAt, result: JSON.stringify(result), totals, jws });
    const { namespace, name } = request.definition;
    const { mismatches } = progress;
    if (mismatches > 0)
      logger.error('receipts or facts differ from what was signed', { replay_id: replayId, receipts: mismatches });
    await replayed(namespace, name);
  }

  async #endEarly(replay: Running, error: unknown): Promise<void> {
    const { replayId, cancel } = replay;
    const reason: unknown = cancel.signal.reason;
    if (reason === STOPPING) return this.#endAs(replay, 'aborted', {});
    if (reason === CANCELLED) return this.#endAs(replay, 'cancelled', {});
    const code: ReplayFailure = error instanceof ReplayError ? error.code : 'ledger_unavailable';
    this.#deps.logger.error('a replay failed', { replay_id: replayId, code, error });
    return this.#endAs(replay, 'failed', { error: code });
  }

  #endAs(
    { replayId, began, progress }: Running,
    status: Exclude<ReplayEnd, 'completed'>,
    more: JsonObject,
  ): Promise<void> {
    const { clock } = this.#deps;
    const found = progress === undefined ? {} : resultJson(progress, clock.monotonic() - began);
    return this.#end(replayId, { status, endedAt: clock.now(), result: JSON.stringify({ ...found, ...more }) });
  }

  async #end(replayId: string, update: ReplayUpdate & { readonly status: ReplayEnd }): Promise<void> {
    const { ledger, counters, logger } = this.#deps;
    const { kind } = await ledger.updateReplay(replayId, update);
    if (kind === 'ended') return;
    counters.ended(update.status);
    logger.info('a replay ended', { replay_id: replayId, status: update.status });
  }
}
