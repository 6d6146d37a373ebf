import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';

/** @returns undefined: the text is no JSON */
function valueIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** @returns undefined: the text is no JSON object */
export function objectIn(text: string): JsonObject | undefined {
  const value = valueIn(text);
  return isJsonObject(value) ? value : undefined;
}

// The built-in guard turns a readonly array into any[].
const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);

const EXECUTION = '"execution":{"attempts":[';
const POLICY = ',"policy":{"decision":';
/** Where the object of the policy begins in it. */
const POLICY_AT = POLICY.indexOf('{');
const RECEIPT_ID = '},"receipt_id":"';

/**
 * The members of a receipt that a replay reads, cut out of its canonical JSON: parsing the rest takes ten times as long.
 * The places are unique, because JSON escapes quotation marks in strings, and a receipt has no further member `policy`
 * that is an object. Another text is parsed whole.
 * @param payload canonical JSON whose digest was checked
 */
export function receiptMembers(payload: string): JsonObject | undefined {
  const execution = payload.indexOf(EXECUTION);
  const afterAttempts = payload.indexOf('],"closed_by":', execution) + 1;
  const policy = payload.indexOf(POLICY, afterAttempts);
  const afterPolicy = payload.indexOf(RECEIPT_ID, policy) + 1;
  const afterId = payload.indexOf(',"risk_level":', afterPolicy);
  const isCanonical = execution > 0 && afterAttempts > execution && policy > afterAttempts && afterPolicy > policy;
  if (!isCanonical || afterId < afterPolicy) return objectIn(payload);
  // Parts of the text as they are: joined, each receipt would be copied.
  const attempts = valueIn(payload.slice(execution + EXECUTION.length - 1, afterAttempts));
  const decided = valueIn(payload.slice(policy + POLICY_AT, afterPolicy));
  const id = valueIn(payload.slice(afterPolicy + RECEIPT_ID.length - 2, afterId));
  if (!isList(attempts) || !isJsonObject(decided) || typeof id !== 'string') return undefined;
  return { execution: { attempts }, policy: decided, receipt_id: id };
}

/** End of the record of a decision that no rule said anything about. */
const SILENT_END = '"rules":[],"denials":[],"obligations":[],"exceptions_used":[]}';
const silentRecord = (defaultUsed: boolean): JsonObject => ({
  default_used: defaultUsed,
  denials: [],
  obligations: [],
});
const SILENT = silentRecord(false);
const SILENT_BY_DEFAULT = silentRecord(true);

/** The members of a record that a replay reads: most records say nothing, and are not parsed. */
export function recordMembers(record: string): JsonObject | undefined {
  if (!record.endsWith(SILENT_END)) return objectIn(record);
  return record.includes(',"default_used":true,') ? SILENT_BY_DEFAULT : SILENT;
}

/** Orbs whose facts are remembered; beyond it all are forgotten. */
const MOST_ORBS = 1000;

/**
 * Reads facts. Those of an Orb take most of a snapshot and are the same for many runs: they are parsed once, so that they
 * are one object too, as in the runs themselves.
 */
export class FactsReader {
  readonly #orbs = new Map<string, JsonObject>();

  /** @param text canonical JSON whose digest was checked */
  read(text: string): JsonObject | undefined {
    // Only the root of facts has a member that is an object and stands before `orbiset`, which is an object too.
    const begin = text.indexOf(',"orb":{');
    const end = text.indexOf('},"orbiset":{', begin);
    const orb = begin > 0 && end > begin ? this.#orb(text.slice(begin + ',"orb":'.length, end + 1)) : undefined;
    if (orb === undefined) return objectIn(text);
    const others = objectIn(text.slice(0, begin) + text.slice(end + 1));
    return others && { ...others, orb };
  }

  #orb(text: string): JsonObject | undefined {
    const known = this.#orbs.get(text);
    if (known !== undefined) return known;
    const orb = objectIn(text);
    if (orb === undefined) return undefined;
    if (this.#orbs.size >= MOST_ORBS) this.#orbs.clear();
    this.#orbs.set(text, orb);
    return orb;
  }
}
