import { encodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { isOfProfile } from '../receipt/profile.ts';
import { isSwapEvidence } from '../receipt/swap-evidence-schema.ts';
import { MAX_SWAP_BYTES } from '../receipt/swap-record-schema.ts';
import type { SwapEvidence, SwapReceipt } from '../receipt/swap-record.ts';

function parsed(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Says so where it says what was left out before. */
function withoutQueries(evidence: SwapEvidence): SwapEvidence {
  const { metrics, replay } = evidence;
  const omitted = [...new Set(['promql', ...replay.omitted] as const)];
  return { ...evidence, metrics: { ...metrics, promql: {} }, replay: { ...replay, omitted } };
}

/**
 * The evidence of a swap as its receipt can hold it. The texts of the queries are left out first: their digest stays.
 * @param text JSON of the status
 * @param record the same without evidence
 * @returns null: there is none, it is not of its schema or profile, or it is too large
 */
export function evidenceThatFits(text: string | null, record: SwapReceipt): SwapEvidence | null {
  const value = text === null ? null : parsed(text);
  if (!isJsonObject(value) || !isOfProfile(value) || !isSwapEvidence(value)) return null;
  const forms = [value, withoutQueries(value)];
  const fits = (evidence: SwapEvidence): boolean => encodeUtf8(jcs({ ...record, evidence })).length <= MAX_SWAP_BYTES;
  return forms.find(fits) ?? null;
}
