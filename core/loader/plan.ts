import { jcs } from '../json/jcs.ts';
import { isJsonObject } from '../json/json-value.ts';
import type { KubeObject } from '../reconcile/kube-object.ts';
import type { CheckedFile, FileManifest } from './check-file.ts';
import type { LoaderReport } from './loader-report.ts';
import { fileOf, isLoaderOwned } from './own-orb.ts';
import { planRemovals, type RemoveStep } from './removals.ts';

/** One Orb to write. */
export interface ApplyStep {
  readonly name: string;
  readonly file: string;
  readonly manifest: FileManifest;
  /** The Orb to change; undefined when it does not exist yet. */
  readonly existing: KubeObject | undefined;
}

export interface LoaderPlan {
  readonly applies: readonly ApplyStep[];
  readonly removes: readonly RemoveStep[];
  readonly reports: readonly LoaderReport[];
  /** The Orbs that need no write; pass it to the next snapshot as `settled`. */
  readonly settled: ReadonlyMap<string, Settled>;
  /** There is no file at all, but there are Orbs that came from files: the folder may be missing. */
  readonly emptied: boolean;
}

/** An Orb that matches its manifest as far as an apply can achieve: no further comparison or write is needed. */
export interface Settled {
  readonly uid: string;
  readonly generation: number;
  /** Digest of the manifest. */
  readonly digest: string;
  /** False when the Orb holds fields of another field manager, which an apply does not remove. */
  readonly exact: boolean;
}

/** The folder, the Orbs of the loader's namespace, and the results of the loader's own writes. */
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

/** Every manifest and its file by Orb name, in the order of the files. */
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

/** The file that the Orb came from keeps it; otherwise the first file by name gets it. */
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
        `${chosen.file} also has ${manifest.orbId}; that one is used. Remove one of them.`,
      ),
    );

/** Canonical JSON of an Orb's manifest, without `pin`, which the API owns. Undefined when the spec is not an object. */
function storedText({ spec }: KubeObject): string | undefined {
  if (!isJsonObject(spec)) return undefined;
  return jcs(Object.fromEntries(Object.entries(spec).filter(([member]) => member !== 'pin')));
}

/** Records how far an Orb matches its manifest. @param orb as read, or as the answer to an own write shows it */
export function settledBy(orb: KubeObject, manifest: FileManifest): Settled {
  const { uid = '', generation = 0 } = orb.metadata;
  return { uid, generation, digest: manifest.digest, exact: storedText(orb) === manifest.jcs };
}

function isStill(settled: Settled, { metadata }: KubeObject, manifest: FileManifest): boolean {
  return (
    settled.uid === metadata.uid && settled.generation === metadata.generation && settled.digest === manifest.digest
  );
}

/** @returns undefined when a write is due */
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
    `Orb ${manifest.name} was applied by another writer, so it stays unchanged. Remove this file, or delete that Orb.`,
  );

const foreignFields = ({ file, manifest }: Claimed): LoaderReport => ({
  file,
  code: 'loader-foreign-fields',
  severity: 'warning',
  pointer: '',
  detail: `Orb ${manifest.name} has fields of another field manager, which this file does not have; they are used too.`,
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
  if (!isLoaderOwned(existing)) return { report: conflict(claim) };
  // The Orb is being deleted; a later evaluation creates it again.
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
 * Plans the steps after which the Orbs of the loader's namespace match its folder (design.md §2, manifest loader).
 * The loader writes and removes only Orbs that carry its label, and removes no Orb by mistake (removals.ts).
 * @param snapshot files in the order of their names; `orbs`: all Orbs of the loader's namespace
 * @returns steps in the order of names. An Orb is removed only when its replacement exists. When the function runs
 *   twice on its own result, it gives no steps and no new reports
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
