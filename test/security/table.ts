import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTACKS, REQUIREMENTS } from './requirements.ts';

/** Tests of one requirement that can be run, by their file. */
export interface Row {
  readonly id: string;
  readonly what: string;
  readonly state: 'met' | 'partly' | 'not built';
  readonly lacks: string;
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Numbers of requirements in the titles of a file. */
const numbersIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^\s*describe\(.*$/gm)].flatMap(([line]) => line.match(/\bS[0-9]{1,2}\b/g) ?? []));

/** @param lacks what is not shown; empty: nothing */
export function stateOf(tests: Row['tests'], lacks: string): Row['state'] {
  if (lacks === '') return 'met';
  return tests.length === 0 ? 'not built' : 'partly';
}

/** Every file of attacks over the network belongs to the requirement that its `describe` names. */
function attacksIn(root: string): readonly { readonly file: string; readonly ids: ReadonlySet<string> }[] {
  return globSync(`${ATTACKS}/*.test.ts`, { cwd: root })
    .toSorted()
    .map((file) => ({ file, ids: numbersIn(readFileSync(join(root, file), 'utf8')) }));
}

/** Files of attacks whose `describe` names no requirement. */
export const unnumbered = (root: string): readonly string[] =>
  attacksIn(root)
    .filter(({ ids }) => ids.size === 0)
    .map(({ file }) => file);

/** S1 to S30 with their tests. @param root of the checkout */
export function rowsOf(root: string): readonly Row[] {
  const attacks = attacksIn(root);
  return Object.entries(REQUIREMENTS).map(([id, { what, tests, lacks = '' }]) => {
    const over = attacks.filter(({ ids }) => ids.has(id)).map(({ file }) => ({ file, title: '' }));
    const all = [...tests.map(([file, title]) => ({ file, title })), ...over];
    return { id, what, state: stateOf(all, lacks), lacks, tests: all };
  });
}
