import type { JsonObject } from '../../core/json/json-value.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { parseInputs } from '../run/inputs.ts';

/**
 * Facts of the command line by root and name: `orb.tier=gold`, `orbiset.runs_today:=5`.
 * @throws Failure another form, a fact given twice
 */
export async function parseFacts(words: readonly string[], io: Io): Promise<JsonObject> {
  const byRoot = new Map<string, string[]>();
  for (const word of words) {
    const [, root, rest] = /^([a-z]+)\.([^]+)$/.exec(word) ?? [];
    if (root === undefined || rest === undefined)
      throw usage(`--fact ${printable(word)}: a fact is written orb.tier=gold or orbiset.runs_today:=5`);
    byRoot.set(root, [...(byRoot.get(root) ?? []), rest]);
  }
  const facts = [...byRoot].map(async ([root, some]) => [root, await parseInputs(some, undefined, io)] as const);
  return Object.fromEntries(await Promise.all(facts));
}
