import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { merkle } from './merkle.ts';
import { has, isList } from './read.ts';
import { receipt } from './receipt.ts';
import { reputation } from './reputation.ts';
import type { Suite } from './suite.ts';
import { trustScore } from './trust-score.ts';
import { uptime } from './uptime.ts';

/** The subject of a vector file: it is found by the arrays in the file, not by its name. */
export type VectorSubject = { readonly kind: 'known'; readonly suite: Suite } | { readonly kind: 'unknown' };

const holds = (file: JsonObject, names: readonly string[]): boolean => names.some((name) => isList(file[name]));

// Arrays that no other subject has. `cases` occurs in three subjects: there its first element decides.
const OWN_ARRAYS: readonly (readonly [subject: string, arrays: readonly string[]])[] = [
  ['reputation', ['wilson', 'tier_sequences', 'derive_cases']],
  ['uptime', ['overall_cases']],
];

const OWN_INPUTS: readonly (readonly [subject: string, member: string])[] = [
  // Each of them may be left out.
  ['reputation', 'meta'],
  ['reputation', 'groups'],
  ['reputation', 'tests'],
  ['trust-score', 'checks'],
];

function subjectOfCases(file: JsonObject): string | undefined {
  const first = isList(file['cases']) ? file['cases'][0] : undefined;
  if (!isJsonObject(first)) return undefined;
  if (has(first, 'services')) return 'uptime';
  const { input } = first;
  return isJsonObject(input) ? OWN_INPUTS.find(([, member]) => has(input, member))?.[0] : undefined;
}

function nameOf(file: JsonObject): string | undefined {
  const known = [receipt, merkle].find((suite) => holds(file, [...Object.keys(suite.parts), ...suite.data]));
  return known?.subject ?? OWN_ARRAYS.find(([, arrays]) => holds(file, arrays))?.[0] ?? subjectOfCases(file);
}

export function subjectOf(file: JsonObject): VectorSubject {
  const subject = nameOf(file);
  const suite = [receipt, merkle, trustScore, reputation, uptime].find((candidate) => candidate.subject === subject);
  return suite === undefined ? { kind: 'unknown' } : { kind: 'known', suite };
}
