import { CHECKED_PARTS, type FoundFaults, type PartFaults } from '../../adapters/ledger/sqlite-check/findings.ts';
import { isJsonObject } from '../../core/json/json-value.ts';

/** The last check of a whole ledger, as its ledger keeps it. */
export interface LastCheck {
  /** When the ledger was first opened by a program that checks it, ms since epoch. */
  readonly since: number;
  /** Ms since epoch; null: no check was finished yet. */
  readonly finishedAt: number | null;
  readonly faults: FoundFaults;
}

const isPartFaults = (value: unknown): value is PartFaults =>
  isJsonObject(value) && typeof value['count'] === 'number' && typeof value['first'] === 'string';

function faultsOf(value: unknown): FoundFaults {
  const faults = isJsonObject(value) ? value : {};
  return Object.fromEntries(
    CHECKED_PARTS.flatMap((part) => {
      const found = faults[part];
      return isPartFaults(found) ? [[part, { count: found.count, first: found.first }]] : [];
    }),
  );
}

/** @returns undefined: no check is known */
export function parseLastCheck(text: string | undefined): LastCheck | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    return undefined; // the next check writes it anew
  }
  if (!isJsonObject(value)) return undefined;
  const { since, finishedAt } = value;
  if (typeof since !== 'number' || (finishedAt !== null && typeof finishedAt !== 'number')) return undefined;
  return { since, finishedAt, faults: faultsOf(value['faults']) };
}
