import { jcs } from '../json/jcs.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { CheckedFile, FileManifest } from './check-file.ts';
import type { LoaderReport } from './loader-report.ts';
import { fileOf, isOurs } from './own-orb.ts';
import { planRemovals, type RemoveStep } from './removals.ts';

/** One Orb to write. */
export interface ApplyStep {
  readonly name: string;
  readonly file: string;
  readonly manifest: FileManifest;
  /** The Orb to change; undefined: there is none yet. */
  readonly existing: KubeObject | undefined;
}

export interface LoaderPlan {
  readonly applies: readonly ApplyStep[];
  readonly removes: readonly RemoveStep[];
  readonly reports: readonly LoaderReport[];
  /** What is known of the Orbs that need no write: the next snapshot's `settled`. */
  readonly settled: ReadonlyMap<string, Settled>;
  /** There is no file at all, but Orbs that came of one: nobody knows whether the folder is there. */
  readonly emptied: boolean;
}

/** An Orb that is as near to its manifest as it gets: neither has to be compared or written again. */
export interface Settled {
  readonly uid: string;
  readonly generation: number;
  /** Of the manifest. */
  readonly digest: string;
  /** False: it holds fields of somebody else, which no apply takes away. */
  readonly exact: boolean;
}

/** The folder, the Orbs of the loader's namespace, and what own writes came to. */
export interface LoaderSnapshot {
  readonly files: readonly CheckedFile[];
  readonly orbs: readonly KubeObject[];
  readonly settled: ReadonlyMap<string, Settled>;
}

interface Claimed {
  readonly file: string;
  readonly manifest: FileManifest;
}

const fault = (file: string, code: string, pointer: string, detail: string): LoaderReport => ({
  file,
  code,
  severity: 'error',
  pointer,
  detail,
});

/** Every place that holds a manifest of one name, in the order of the files. */
function claimsByName(files: readonly CheckedFile[]): ReadonlyMap<string, readonly Claimed[]> {
  const claims = new Map<string, Claimed[]>();
  for (const { file, manifests } of files)
    for (const manifest of manifests) {
      const claimed = claims.get(manifest.name) ?? [];
      claimed.push({ file, manifest });
      claims.set(manifest.name, claimed);
    }
  return claims;
}

/** The file that the Orb came from keeps it; else the first by name. */
function choose(claims: readonly Claimed[], existing: KubeObject | undefined): Claimed | undefined {
  const before = fileOf(existing);
  return claims.find(({ file }) => file === before) ?? claims[0];
}

const duplicates = (claims: readonly Claimed[], chosen: Claimed): readonly LoaderReport[] =>
  claims
    .filter((claim) => claim !== chosen)
    .map(({ file, manifest }) =>
      fault(
        file,
        'loader-duplicate',
        '/orb_id',
        `${manifest.orbId} stands in ${chosen.file} too; that one is used. Remove one of them.`,
      ),
    );

/** Of the manifest alone: `pin` is the API's. Undefined for what no manifest is. */
function storedText({ spec }: KubeObject): string | undefined {
  if (!isJsonObject(spec)) return undefined;
  return jcs(Object.fromEntries(Object.entries(spec).filter(([member]) => member !== 'pin')));
}

/** What an Orb is beside its manifest, as the answer to an own write or a comparison shows. */
export function settledBy(orb: KubeObject, manifest: FileManifest): Settled {
  const { uid = '', generation = 0 } = orb.metadata;
  return { uid, generation, digest: manifest.digest, exact: storedText(orb) === manifest.jcs };
}

function isStill(settled: Settled, { metadata }: KubeObject, manifest: FileManifest): boolean {
  return (
    settled.uid === metadata.uid && settled.generation === metadata.generation && settled.digest === manifest.digest
  );
}

/** Undefined: a write is due. */
function settle({ file, manifest }: Claimed, orb: KubeObject, before: Settled | undefined): Settled | undefined {
  if (fileOf(orb) !== file) return undefined;
  if (before !== undefined && isStill(before, orb, manifest)) return before;
  const now = settledBy(orb, manifest);
  return now.exact ? now : undefined;
}

const conflict = ({ file, manifest }: Claimed): LoaderReport =>
  fault(
    file,
    'loader-conflict',
    '/orb_id',
    `Orb ${manifest.name} was applied by somebody else and stays as it is. Remove this file, or delete that Orb.`,
  );

const foreignFields = ({ file, manifest }: Claimed): LoaderReport => ({
  file,
  code: 'loader-foreign-fields',
  severity: 'warning',
  pointer: '',
  detail: `Orb ${manifest.name} holds fields of another field manager that this file does not have; they run too.`,
});

interface Decision {
  readonly apply?: ApplyStep;
  readonly settled?: Settled;
  readonly report?: LoaderReport;
}

function decide(claim: Claimed, existing: KubeObject | undefined, before: Settled | undefined): Decision {
  const { file, manifest } = claim;
  const apply: ApplyStep = { name: manifest.name, file, manifest, existing };
  if (existing === undefined) return { apply };
  if (!isOurs(existing)) return { report: conflict(claim) };
  // It goes away first; the look after that makes it anew.
  if (existing.metadata.deletionTimestamp !== undefined) return {};
  const settled = settle(claim, existing, before);
  if (settled === undefined) return { apply };
  return settled.exact ? { settled } : { settled, report: foreignFields(claim) };
}

const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  one.name < other.name ? -1 : 1;

function findingsOf({ file, findings }: CheckedFile): readonly LoaderReport[] {
  return findings.map(({ code, severity, pointer, detail, line }) => ({
    file,
    code,
    severity,
    pointer,
    detail,
    ...(line === undefined ? {} : { line }),
  }));
}

/**
 * What the loader must do so that the Orbs of its namespace are those of its folder (design.md §2, manifest loader):
 * it writes and removes only Orbs that carry its label, and removes none by a mistake (removals.ts).
 * @param snapshot files in the order of their names; `orbs`: all of the loader's namespace
 * @returns steps in the order of names, removals only once what replaces them is there; nothing to do and nothing new
 *   when it is run on its own result twice
 */
export function planLoad(snapshot: LoaderSnapshot): LoaderPlan {
  const { files } = snapshot;
  const orbs = new Map(snapshot.orbs.map((orb) => [orb.metadata.name, orb] as const));
  const applies: ApplyStep[] = [];
  const settled = new Map<string, Settled>();
  const done = new Set<FileManifest>();
  const reports = files.flatMap(findingsOf);
  for (const [name, claimed] of claimsByName(files)) {
    const existing = orbs.get(name);
    const chosen = choose(claimed, existing);
    if (chosen === undefined) continue;
    const decision = decide(chosen, existing, snapshot.settled.get(name));
    reports.push(...duplicates(claimed, chosen), ...(decision.report === undefined ? [] : [decision.report]));
    if (decision.apply !== undefined) applies.push(decision.apply);
    if (decision.settled === undefined) continue;
    settled.set(name, decision.settled);
    done.add(chosen.manifest);
  }
  const due = new Set(applies.map(({ manifest }) => manifest));
  const removals = planRemovals({ files, orbs: snapshot.orbs, done, due });
  return {
    applies: applies.toSorted(byName),
    removes: removals.removes.toSorted(byName),
    reports: [...reports, ...removals.reports],
    settled,
    emptied: removals.emptied,
  };
}
