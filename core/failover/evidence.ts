import { encodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonObject } from '../json/json-value.ts';
import { digestOfText } from '../manifest/digest.ts';
import { cleanMetrics } from './clean-metrics.ts';
import { configRow, providerRow, stateRow } from './replay-row.ts';
import type { Candidate, FailoverInput, FailoverOutput, FailoverStatus, SwapRecord } from './types.ts';

/** Where the figures came from; what `adapters/failover-metrics` calls `MetricsOrigin`. */
export interface EvidenceOrigin {
  readonly source: 'prometheus' | 'process';
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  readonly querySha256: string | null;
  /** Full texts of the expressions for a quantile and a window, by their name in a receipt. */
  readonly promql: (quantile: number, window: string) => Readonly<Record<string, string>>;
}

/** Bytes: a receipt of 4 KiB has room for the rest of it beside (failover.md §10). */
const MAX_EVIDENCE_BYTES = 3000;

const WINDOW_S = { '2m': 120, '5m': 300, '10m': 600 } as const;

const iso = (time: number): string => new Date(time).toISOString();
const whole = (value: number): number => Math.round(value);
const wholeOrNull = (value: number | null): number | null => (value === null ? null : Math.round(value));
const basisPoints = (ratio: number): number => Math.round(ratio * 10_000);

function configOf({ config }: FailoverInput, { explain }: FailoverOutput): JsonObject {
  const { latency, strategy } = config;
  return {
    strategy,
    quantile_bp: basisPoints(latency.quantile),
    window_s: explain.window === null ? null : WINDOW_S[explain.window],
    min_samples: explain.minSamples,
    limit_ms: wholeOrNull(explain.limitMs),
    min_improvement_bp: basisPoints(latency.minImprovement),
    consecutive: latency.consecutive,
    digest: digestOfText(jcs(configRow(config))),
  };
}

const candidateOf = (candidate: Candidate, to: string): JsonObject => ({
  provider: candidate.provider,
  active: candidate.active,
  n: whole(candidate.n),
  p50_ms: wholeOrNull(candidate.p50Ms),
  pq_ms: wholeOrNull(candidate.pqMs),
  base_ms: wholeOrNull(candidate.baseMs),
  attempts: whole(candidate.attempts),
  bad: whole(candidate.bad),
  probe_n: whole(candidate.probeN),
  probe_ok: whole(candidate.probeOk),
  eligible: candidate.provider === to || candidate.eligible,
  why: candidate.provider === to ? 'chosen' : candidate.why,
});

/** Evaluations in a row that the rule needed; 0 for a rule without a streak. */
function streakOf({ rule }: SwapRecord, { memory }: FailoverInput): number {
  if (rule === 'degraded') return memory.degraded + 1;
  if (rule === 'trial-ramp') return memory.trial;
  return rule === 'failback' ? memory.recovered : 0;
}

function holdOf({ holds }: FailoverStatus, { from }: SwapRecord): JsonObject | null {
  const hold = holds.find(({ provider }) => provider === from);
  return hold === undefined ? null : { provider: hold.provider, until: iso(hold.until), level: hold.level };
}

function rampOf({ persisted }: FailoverInput): JsonObject {
  const ramp = persisted?.ramp ?? null;
  if (ramp === null) return {};
  const { provider, percent, trial, stepStartedAt } = ramp;
  return { ramp: { provider, percent, trial, step_started_at: iso(stepStartedAt) } };
}

interface Parts {
  readonly input: FailoverInput;
  readonly output: FailoverOutput;
  readonly swap: SwapRecord;
  readonly origin: EvidenceOrigin;
}

/** What is left out of a text that would be too long. */
interface Omitted {
  readonly promql: boolean;
  /** All but those that the swap is about: leaving the others out changes no decision. */
  readonly others: boolean;
}

function isInvolved({ swap, input }: Parts, provider: string): boolean {
  return provider === swap.from || provider === swap.to || provider === input.config.primary;
}

function textOf(parts: Parts, omitted: Omitted): string | null {
  const { input, output, swap, origin } = parts;
  const { metrics, now, config } = input;
  if (metrics.state !== 'fresh') return null;
  const clean = cleanMetrics(metrics);
  const shown = output.explain.candidates.filter(({ provider }) => !omitted.others || isInvolved(parts, provider));
  const promql = omitted.promql ? {} : origin.promql(config.latency.quantile, output.explain.window ?? '2m');
  const left = [...(omitted.promql ? ['promql'] : []), ...(omitted.others ? ['candidates'] : [])];
  return JSON.stringify({
    config: configOf(input, output),
    metrics: {
      source: origin.source,
      evaluated_at: iso(origin.evaluatedAt),
      age_ms: Math.max(0, whole(metrics.ageMs)),
      query_sha256: origin.querySha256,
      promql,
    },
    candidates: shown.map((candidate) => candidateOf(candidate, swap.to)),
    streak: streakOf(swap, input),
    hold: holdOf(output.next, swap),
    ...rampOf(input),
    replay: {
      now: Math.floor(now),
      config: configRow(config),
      state: stateRow(input),
      providers: shown.map(({ provider }) => providerRow(clean, provider, Math.floor(now))),
      omitted: left,
    },
  });
}

const TRIES: readonly Omitted[] = [
  { promql: false, others: false },
  { promql: true, others: false },
  { promql: true, others: true },
];

/**
 * What a swap was decided on, as failover.md §10 has it, in integers (ms, basis points): `replay` beside it holds what `decide`
 * needs to come to the same decision (`replayEvidence`), with the names of what was left out because the text had become too
 * long: first `promql`, then the `candidates` that the swap is not about.
 * @param input of the decision; its status as it was read
 * @returns JSON text of at most 3000 bytes; null without a swap, for a manual one, and when it is too long all the same
 */
export function evidenceOf(output: FailoverOutput, input: FailoverInput, origin: EvidenceOrigin): string | null {
  const swap = output.next.history.at(-1);
  const isNew = swap !== undefined && swap.seq === output.next.swapSeq && swap.seq > (input.persisted?.swapSeq ?? 0);
  if (!isNew || swap.reason === 'manual') return null;
  for (const omitted of TRIES) {
    const text = textOf({ input, output, swap, origin }, omitted);
    if (text !== null && encodeUtf8(text).length <= MAX_EVIDENCE_BYTES) return text;
  }
  return null;
}
