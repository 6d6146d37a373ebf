import { encodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonObject } from '../json/json-value.ts';
import { digestOfText } from '../manifest/digest.ts';
import { cleanMetrics } from './clean-metrics.ts';
import { configRow, providerRow, stateRow } from './replay-row.ts';
import { shownCandidate, shownConfig, shownStreak } from './shown-evidence.ts';
import type { FailoverInput, FailoverOutput, FailoverStatus, SwapRecord } from './types.ts';

/** Origin of the metrics; `adapters/failover-metrics` calls it `MetricsOrigin`. */
export interface EvidenceOrigin {
  readonly source: 'prometheus' | 'process';
  /** Ms since epoch. */
  readonly evaluatedAt: number;
  readonly querySha256: string | null;
  /** Full PromQL expressions for a quantile and a window, by their name in a receipt. */
  readonly promql: (quantile: number, window: string) => Readonly<Record<string, string>>;
}

/** Limit of the evidence in bytes, so that a receipt of 4 KiB has room for its other members (failover.md §10). */
const MAX_EVIDENCE_BYTES = 3000;

const iso = (time: number): string => new Date(time).toISOString();
const configOf = ({ config }: FailoverInput, { explain }: FailoverOutput): JsonObject => ({
  ...shownConfig(config, explain),
  digest: digestOfText(jcs(configRow(config))),
});

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

/** Parts to leave out of a text that would be too long. */
interface Omitted {
  readonly promql: boolean;
  /** All candidates except those of the swap: without them the decision is the same. */
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
      age_ms: Math.max(0, Math.round(metrics.ageMs)),
      query_sha256: origin.querySha256,
      promql,
    },
    candidates: shown.map((candidate) => shownCandidate(candidate, swap.to)),
    streak: shownStreak(swap, input),
    hold: holdOf(output.next, swap),
    ...rampOf(input),
    replay: {
      now: Math.floor(now),
      config: configRow(config),
      state: stateRow(input),
      providers: shown.map(({ provider }) => providerRow(clean, provider)),
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
 * Evidence of a swap by failover.md §10, in integers (ms, basis points). Its member `replay` holds the input with which
 * `decide` comes to the same decision (`replayEvidence`). When the text is too long, parts are left out and named:
 * first `promql`, then the `candidates` that the swap is not about.
 * @param input of the decision, with its status as it was read
 * @returns JSON text of at most 3000 bytes; null without a swap, for a manual swap, and when it is still too long
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
