import { dirname, join, basename } from 'node:path';
import { parseContent, readFolder } from '../../adapters/manifest-folder/read-folder.ts';
import { subfoldersOf } from '../../adapters/manifest-folder/subfolders.ts';
import { fileFindingSteps, folderFile, type DocumentRules, type FoundFile } from '../../core/findings/file-findings.ts';
import { SKIPPED_FOLDER } from '../../core/findings/skipped-folder.ts';
import { planFiles } from '../../core/files/plan-files.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { toEnd } from '../../core/steps/steps.ts';
import { checkManifestForPublication } from '../../core/publication/check-manifest.ts';
import { ruleUrl } from '../../core/publication/report-finding.ts';
import { PLATFORM_NAMESPACE } from '../cluster/cluster-flags.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';
import type { FileFinding } from './finding-text.ts';
import { fileOf, isFolder } from './manifest-files.ts';

/** How documents are checked. */
export interface CheckOptions {
  /** Exempt from the rules about hosts, as with `--egress-allow` and `--egress-stub`. */
  readonly allowedOrigins: readonly string[];
  /** Whether manifests are also checked for publishing, with the ontology. */
  readonly publish: boolean;
}

/** Files that the platform would read as one folder. */
interface Group {
  /** Joined with the name of a file. */
  readonly folder: string;
  readonly files: readonly FoundFile[];
  /** Folders inside that hold manifests. */
  readonly skipped: readonly string[];
}

const MAX_BYTES = 16 * 1024 * 1024;

function manifestFindings(manifest: JsonObject, namespace: string, options: CheckOptions): readonly Finding[] {
  const { allowedOrigins, publish } = options;
  if (!publish) return compileOrb(manifest, { namespace, allowedOrigins }).findings;
  const { schema, ontology } = checkManifestForPublication(manifest, { namespace, allowedOrigins });
  return [...schema, ...ontology];
}

/**
 * The findings of files of one folder, by the function with which the platform checks its folder.
 * @returns by file and line
 */
export function checkFound(
  files: readonly FoundFile[],
  options: CheckOptions & Pick<DocumentRules, 'now'>,
): readonly FileFinding[] {
  const { duplicates } = planFiles(files.map(folderFile), []);
  const rules: DocumentRules = {
    platformNamespace: PLATFORM_NAMESPACE,
    now: options.now,
    ofManifest: (manifest, resource) => manifestFindings(manifest, resource?.namespace ?? 'default', options),
  };
  return files.flatMap((found) =>
    toEnd(fileFindingSteps(found, duplicates, rules)).map((finding) => ({ file: found.file, finding })),
  );
}

async function folderGroup(folder: string): Promise<Group> {
  const read = await readFolder(folder);
  if (read.length === 0) throw invalid(`${folder}: it holds no *.json, *.yaml or *.yml`);
  const files = read.map((file) => ({ ...file, file: basename(file.path) }));
  return { folder, files, skipped: await subfoldersOf(folder) };
}

async function namedFile(path: string, io: Io): Promise<FoundFile> {
  const content = parseContent(await readText(path, MAX_BYTES, io), fileOf(path).format);
  if (content.documents.length === 0 && !content.broken) throw invalid(`${path}: it holds no document`);
  return { ...content, file: basename(path) };
}

/** Groups of the arguments: each folder, and the named files by their folder. */
async function readGroups(paths: readonly string[], io: Io): Promise<readonly Group[]> {
  const groups: Group[] = [];
  const named = new Map<string, { readonly at: number; readonly files: FoundFile[] }>();
  for (const path of paths) {
    if (await isFolder(path)) groups.push(await folderGroup(path));
    else {
      const folder = path === '-' ? '-' : dirname(path);
      const group = named.get(folder) ?? { at: groups.length, files: [] };
      if (!named.has(folder))
        groups.push({ folder: path.includes('/') ? folder : '', files: group.files, skipped: [] });
      named.set(folder, group);
      group.files.push(await namedFile(path, io));
    }
  }
  return groups;
}

/**
 * Checks every document of files and folders as the platform does when it reads them.
 * @param paths of which `-` is standard input
 * @throws Failure a named file can't be read or holds no document, or a folder holds no manifest
 */
export async function checkPaths(
  paths: readonly string[],
  options: CheckOptions,
  io: Io,
): Promise<{ readonly files: number; readonly found: readonly FileFinding[] }> {
  const groups = await readGroups(paths, io);
  const found = groups.flatMap(({ folder, files, skipped }) =>
    [
      ...checkFound(files, { ...options, now: io.clock.now() }),
      ...skipped.map((file) => ({ file, finding: SKIPPED_FOLDER })),
    ].map(({ file, finding }) => ({ file: folder === '' ? file : join(folder, file), finding })),
  );
  return { files: groups.reduce((sum, { files }) => sum + files.length, 0), found };
}

/** A finding for machines. With `publish`, it also says where the rule is explained, as the report of publishing does. */
export const findingValue = (
  { file, finding }: FileFinding,
  { publish }: Pick<CheckOptions, 'publish'>,
): JsonObject => ({
  file,
  ...finding,
  ...(publish ? { rule_url: ruleUrl(finding.code) } : {}),
});
