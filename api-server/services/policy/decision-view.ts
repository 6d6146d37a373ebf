import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { StoredDecision } from '../../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { CompiledOrbiset } from '../../../core/orb/orbiset.ts';

/** The record of a decision (policy.md §3.4). @throws TypeError the ledger holds something else */
export function recordOfDecision({ decisionId, json }: StoredDecision): JsonObject {
  const record: unknown = JSON.parse(json);
  if (!isJsonObject(record)) throw new TypeError(`the record of ${decisionId} is no object`);
  return record;
}

/** The Orbiset of a decision; undefined when it is gone. */
export function orbisetOf(catalog: Pick<Catalog, 'orbiset'>, { orbiset }: StoredDecision): CompiledOrbiset | undefined {
  const dot = orbiset.indexOf('.');
  return catalog.orbiset(orbiset.slice(0, dot), orbiset.slice(dot + 1));
}

/**
 * A value without the secrets of the vault. What is stored was redacted with the vault of its time; values that came
 * into the vault since then are taken out here.
 */
export const redacted = (orbiset: CompiledOrbiset | undefined, value: JsonValue): JsonValue =>
  orbiset === undefined ? value : orbiset.redactor.json(value).value;

/** A decision as it is shown: its record, its receipt, and the scopes whose approval it needs. */
export function decisionItem(stored: StoredDecision, catalog: Pick<Catalog, 'orbiset'>): JsonValue {
  const { receiptId, approvals } = stored;
  return redacted(orbisetOf(catalog, stored), { ...recordOfDecision(stored), receipt_id: receiptId, approvals });
}
