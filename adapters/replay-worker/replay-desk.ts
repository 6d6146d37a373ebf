import { KeptResults } from '../../core/policy/decision/kept-results.ts';
import { policySet, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import { compileDocument } from '../../core/policy/document/compile-document.ts';
import { globMatcher } from '../../core/policy/document/glob.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { indeterminate } from '../../core/policy/simulation/recorded-run.ts';
import { readRecorded, type ReplayContext, type StoredRun } from '../../core/policy/simulation/read-recorded.ts';
import { FactsReader } from '../../core/policy/simulation/recorded-texts.ts';
import { sampled, type SampledReceipt } from '../../core/policy/simulation/replay-sample.ts';
import { compactJws } from '../../core/policy/simulation/receipt-texts.ts';
import { ReplayTally } from '../../core/policy/simulation/replay-tally.ts';
import { isChanged, ReplayWalk, type ReplayInput, type WalkedRun } from '../../core/policy/simulation/replay-walk.ts';
import { verifyReceipt } from '../../core/verify/verify.ts';
import { ed25519Verify, sha256 } from '../keys/primitives.ts';
import type { Ledger, RecordedRunRow } from '../ledger/port.ts';
import type { Clock } from '../time/clock.ts';
import { changeText } from './change-text.ts';
import type { Pace } from '../threads/pace.ts';
import type { PolicySources, ReplayJob, ReplayProgress } from './port.ts';

/** What a replay reads. */
export type RunSource = Pick<Ledger, 'recordedRuns'>;

/** Most receipts of one step (policy.md §6). */
const CHUNK = 10_000;
/** So long a step takes further slices, ms: on a busy machine it has fewer receipts, and is not taken for one that hangs. */
const CHUNK_MS = 1000;
/**
 * Receipts of one query, some 1 ms of work: so long a run waits at most for the core of a replay that rests. With 500 the
 * thread takes 45 MB more, because more rows outlive a collection, and no less time.
 */
const SLICE = 32;
const MOST_CHANGES = 10_000;
/** Changes with the values of their rule: finding them takes as long as a decision. */
const MOST_TRACES = 1000;

/** @throws TypeError a policy does not compile: the caller compiled it before */
function setOf({ policies, missing }: PolicySources, now: number): PolicySet {
  const members = policies.map(({ mode, ...policy }) => {
    const document = compileDocument(policy, now, CEL_ENGINE);
    if (!document.ok) throw new TypeError(`policy ${policy.namespace}/${policy.name} does not compile`);
    return { definition: document.definition, compiled: document.compiled, mode };
  });
  return policySet(members, missing);
}

const storedOf = ({ issuedAt, decision, ...receipt }: RecordedRunRow): StoredRun => ({
  ...receipt,
  at: issuedAt,
  caller: decision?.caller ?? '',
  record: decision?.json ?? null,
  facts: decision?.facts ?? [],
});

/** The result about a run of which nothing can be believed. */
function unreadable({ receiptId, orbId, at, caller }: StoredRun, job: ReplayJob): WalkedRun {
  const nothing = { deniedIn: undefined, isAnswered: false, inputNames: [], approved: [], defaultEffect: undefined };
  const input: ReplayInput = {
    receiptId,
    orbId,
    at,
    caller,
    namespace: job.tenant,
    orbiset: undefined,
    decision: 'allow',
    rule: '',
    obligations: undefined,
    run: { ...nothing, snapshots: [], absent: 'facts_erased' },
  };
  const result = indeterminate('digest_mismatch');
  return { input, asRecorded: result, recomputed: job.stateful === 'as_recorded' ? undefined : result };
}

const mustVerify = ({ asRecorded, recomputed }: WalkedRun, { isVerified }: SampledReceipt): boolean =>
  isVerified || isChanged(asRecorded) || isChanged(recomputed);

/** Replays one job over any source, on the thread that calls it. */
export class ReplayDesk {
  readonly #source: RunSource;
  readonly #job: ReplayJob;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #pace: Pick<Pace, 'begin' | 'rest'> | undefined;
  readonly #candidate: PolicySet;
  readonly #context: ReplayContext;
  readonly #walk: ReplayWalk;
  readonly #tally: ReplayTally;
  readonly #isMeant: (row: RecordedRunRow) => boolean;
  #last: RecordedRunRow | undefined;
  #changes: string[] = [];
  #found = 0;
  #receipts = 0;
  #signatures = 0;
  #mismatches = 0;

  /** @param pace undefined: it never rests @throws TypeError a policy of the job does not compile */
  constructor(source: RunSource, job: ReplayJob, clock: Pick<Clock, 'monotonic'>, pace?: Pick<Pace, 'begin' | 'rest'>) {
    this.#source = source;
    this.#job = job;
    this.#clock = clock;
    this.#pace = pace;
    const inForce = setOf(job.current, job.now);
    this.#candidate = setOf(job.candidate, job.now);
    this.#context = {
      namespace: job.tenant,
      orbisets: new Map(Object.entries(job.orbisets)),
      inForce,
      facts: new FactsReader(),
    };
    const { stateful, baseline } = job;
    const current = baseline === 'current' ? inForce : undefined;
    this.#walk = new ReplayWalk({ candidate: this.#candidate, current, stateful, kept: new KeptResults() });
    this.#tally = new ReplayTally(stateful);
    this.#isMeant = meaning(job);
  }

  /** Replays the next chunk of receipts. @throws LedgerError */
  async step(): Promise<ReplayProgress> {
    const end = this.#clock.monotonic() + CHUNK_MS;
    for (let read = 0; read < CHUNK && (read === 0 || this.#clock.monotonic() < end); read += SLICE) {
      this.#pace?.begin();
      if ((await this.#replaySlice()) < SLICE) return this.#progress(true);
      const rest = this.#pace?.rest();
      if (rest !== undefined) await rest;
    }
    return this.#progress(false);
  }

  /** @returns how many receipts it had */
  async #replaySlice(): Promise<number> {
    const rows = await this.#slice();
    for (const row of rows) {
      const verified = this.#isMeant(row) ? this.#replay(row) : undefined;
      if (verified !== undefined) await verified;
    }
    return rows.length;
  }

  #slice(): Promise<readonly RecordedRunRow[]> {
    const { tenant, from, until } = this.#job;
    const after = this.#last === undefined ? {} : { after: this.#last };
    return this.#source.recordedRuns(tenant, { from, until, limit: SLICE, ...after }).then((rows) => {
      this.#last = rows.at(-1) ?? this.#last;
      return rows;
    });
  }

  #progress(isDone: boolean): ReplayProgress {
    const changes = this.#changes;
    this.#changes = [];
    return {
      isDone,
      changes,
      changesLeftOut: Math.max(0, this.#found - MOST_CHANGES),
      summary: this.#tally.summary(),
      totals: this.#tally.totals(),
      verified: { receipts: this.#receipts, signatures: this.#signatures },
      mismatches: this.#mismatches,
    };
  }

  /** @returns what to wait for when the signature has to be verified: few receipts need it */
  #replay(row: RecordedRunRow): Promise<void> | undefined {
    const choice = sampled(this.#job.sample, row.receiptId);
    if (!choice.isReplayed) return undefined;
    const stored = storedOf(row);
    this.#receipts += 1;
    const input = readRecorded(stored, this.#context);
    const walked = input && this.#walk.next(input);
    if (walked !== undefined && mustVerify(walked, choice)) return this.#verify(walked, stored);
    this.#conclude(walked, stored);
    return undefined;
  }

  async #verify(walked: WalkedRun, stored: StoredRun): Promise<void> {
    this.#signatures += 1;
    const { keys: document, now } = this.#job;
    const primitives = { sha256, ed25519Verify, now: () => now };
    const receipt = { jws: compactJws(stored), proof: null, document };
    const { signatureValid } = await verifyReceipt(receipt, { allowUnlogged: true }, primitives);
    this.#conclude(signatureValid ? walked : undefined, stored);
  }

  /** @param walked undefined: a digest does not match, or the receipt is not signed by a key of the platform */
  #conclude(walked: WalkedRun | undefined, stored: StoredRun): void {
    if (walked === undefined) {
      this.#mismatches += 1;
      this.#tally.add(unreadable(stored, this.#job));
      return;
    }
    this.#walk.note(walked);
    this.#tally.add(walked);
    this.#keepChange(walked);
  }

  #keepChange(walked: WalkedRun): void {
    const primary = this.#tally.primary(walked);
    const change = isChanged(primary) ? primary : walked.recomputed;
    if (change === undefined || !isChanged(change) || change.kind === 'indeterminate') return;
    this.#found += 1;
    if (this.#found > MOST_CHANGES) return;
    const stateful = change === walked.asRecorded ? 'as_recorded' : 'recomputed';
    const set = this.#found > MOST_TRACES ? undefined : this.#candidate;
    this.#changes.push(changeText(walked.input, { ...change, stateful }, set));
  }
}

function meaning({ filter: { orbIds, orbisets } }: ReplayJob): (row: RecordedRunRow) => boolean {
  const matchers = orbIds.map(globMatcher);
  const wanted = new Set(orbisets);
  return ({ orbId, decision }) =>
    (matchers.length === 0 || matchers.some((matches) => matches(orbId))) &&
    (wanted.size === 0 || decision === null || wanted.has(decision.orbiset));
}
