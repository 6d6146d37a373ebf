import { dirname, relative, sep } from 'node:path';

/** Test files that one mocha runs, one after the other, with one control plane. */
export interface Part {
  readonly name: string;
  /** Paths from the root of the checkout. */
  readonly files: readonly string[];
  /**
   * `idle`: nearly all of it is waiting; it runs beside all others. `timed`: it measures time, or kills processes at moments
   * that it has chosen; of those two at most run at a time, and none but an idle one beside them.
   */
  readonly kind: 'idle' | 'side-by-side' | 'timed';
}

const ROOT = 'test/integration';
/** Folders, and files of their own. */
const IDLE = ['docs/failover-walk'];
const TIMED = ['failover/conformance', 'chaos/reduced', 'chaos/swaps', 'egress'];
/** They start first, so that no lane is left with one of them at the end. */
const LONGEST = [...TIMED, 'cli', 'cluster-api', 'cluster', 'operator', 'kube', 'standalone', 'loader'];
const NAMED = new Set([...IDLE, ...LONGEST]);

/** What a file runs with: its folder, or itself where it is named above. */
function nameOf(file: string): string {
  const inside = relative(ROOT, file).split(sep).join('/');
  const own = inside.replace(/\.test\.ts$/, '');
  return NAMED.has(own) ? own : dirname(inside);
}

function kindOf(name: string): Part['kind'] {
  if (IDLE.includes(name)) return 'idle';
  return TIMED.includes(name) ? 'timed' : 'side-by-side';
}

const rank = (name: string): number => (LONGEST.includes(name) ? LONGEST.indexOf(name) : LONGEST.length);

/**
 * Test files in parts, in the order in which they start.
 * @param files paths from the root of the checkout, below test/integration
 */
export function partsOf(files: readonly string[]): readonly Part[] {
  return [...Map.groupBy(files.toSorted(), nameOf)]
    .map(([name, own]): Part => ({ name, files: own, kind: kindOf(name) }))
    .toSorted((a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name));
}

/** Those of the files that a path or a part of one names. @throws Error one of the words names none */
export function chosen(files: readonly string[], words: readonly string[]): readonly string[] {
  if (words.length === 0) return files;
  const picked = new Set<string>();
  for (const word of words) {
    const found = files.filter((file) => file.includes(word.replace(/^\.\//, '')));
    if (found.length === 0) throw new Error(`no integration test has "${word}" in its path; see ${ROOT}/`);
    for (const file of found) picked.add(file);
  }
  return [...picked];
}
