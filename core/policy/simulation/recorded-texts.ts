import { isJsonObject, type JsonObject } from '../../json/json-value.ts';

/** @returns undefined: the text is no JSON object */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The members of a receipt that a replay reads, cut out of its canonical JSON: parsing the rest takes ten times as long.
 * The places are unique, because JSON escapes quotation marks in strings, and a receipt has no further member `policy`
 * that is an object. Another text is parsed whole.
 * @param payload canonical JSON whose digest was checked
 */
export function receiptMembers(payload: string): JsonObject | undefined {
  const attempts = payload.indexOf('"execution":{"attempts":[');
  const afterAttempts = payload.indexOf('],"closed_by":', attempts) + 1;
  const policy = payload.indexOf(',"policy":{"decision":', afterAttempts);
  const afterId = payload.indexOf(',"risk_level":', payload.indexOf('},"receipt_id":"', policy));
  const isCanonical = attempts > 0 && afterAttempts > attempts && policy > afterAttempts && afterId > policy;
  if (!isCanonical) return objectIn(payload);
  return objectIn(`{${payload.slice(attempts, afterAttempts)}}${payload.slice(policy, afterId)}}`);
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
