import { dirname, relative, sep } from 'node:path';

/** Test files that one mocha runs, one after the other, with one control plane; or another check in its own process. */
export interface Part {
  readonly name: string;
  /** Paths from the root of the checkout; empty for a script. */
  readonly files: readonly string[];
  /**
   * `waiting`: it uses at most a third of a core and mostly waits; such parts run beside all others. `timed`: it
   * measures time, or kills processes at chosen moments; no part that works all the time runs beside it.
   */
  readonly kind: 'waiting' | 'side-by-side' | 'timed';
  /** The npm script that is run in place of mocha. */
  readonly script?: string;
}

const ROOT = 'test/integration';
/** Folders and single files; of each kind the longest first, so that no lane runs a long part alone at the end. */
const WAITING = [
  'docs/failover-walk',
  'chaos/refusals',
  'chaos/crashes',
  'chaos/crashed-swap',
  'conformance/cluster',
  'chaos/states',
  'kube',
  'charts/dashboards',
  'loader',
];
const TIMED = ['chaos/leaders', 'conformance/sockets', 'conformance/operators', 'chaos/swaps', 'security', 'egress'];
const LONGEST = [
  ...WAITING,
  ...TIMED,
  'cluster-api',
  'standalone',
  'operator',
  'cluster',
  'cli',
  'charts',
  'docs',
  'outsider',
];
const NAMED = new Set(LONGEST);
/** Small parts share a mocha and its control plane: starting a control plane takes two to three seconds of CPU. */
const TOGETHER: Readonly<Record<string, string>> = {
  'kube-runtime': 'providers',
  'log-head': 'providers',
  crds: 'rbac',
};

const ofScript = (script: string): Part => ({ name: script, files: [], kind: 'side-by-side', script });

/**
 * Further checks of `npm test`: the unit tests first, as they take longest, and short checks at the end for free lanes.
 */
export const OTHER_CHECKS: { readonly first: readonly Part[]; readonly last: readonly Part[] } = {
  first: [ofScript('coverage')],
  last: [ofScript('test:simulation'), ofScript('lint:charts')],
};

/** Name of the part that runs a file: its folder, or the file itself when it is named above. */
function nameOf(file: string): string {
  const inside = relative(ROOT, file).split(sep).join('/');
  const own = inside.replace(/\.test\.ts$/, '');
  const folder = dirname(inside);
  return NAMED.has(own) ? own : (TOGETHER[folder] ?? folder);
}

function kindOf(name: string): Part['kind'] {
  if (WAITING.includes(name)) return 'waiting';
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

/**
 * Parts that `npm test` leaves to `npm run test:long`: faults at chosen moments, and walks that mostly wait. CI runs both.
 */
export const isLong = ({ name }: Part): boolean => /^(?:chaos|conformance)\/|^docs\/failover-walk$/.test(name);

/** The files whose path contains one of the words. @throws Error a word matches no file */
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
