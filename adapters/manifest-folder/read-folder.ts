import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorCode } from '../../core/errors/error-code.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import {
  checkDocument,
  refusedManifest,
  refusedOrbiset,
  type RefusedManifest,
  type Resource,
  type UncheckedOrbiset,
} from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { furtherErrors } from '../../core/manifest/further-errors.ts';
import { orbIdsIn } from '../../core/orb/invalid-source.ts';
import { SUITE_SUFFIX } from '../../core/suite/suite.ts';
import { parseDocuments, type ParsedDocument } from '../../core/manifest/parse-text.ts';

/** A resource, and the function that adds places in its file to findings, those inside an expression included. */
interface FoundDocument {
  readonly resource: Resource;
  readonly withPlaces: ParsedDocument['withInnerPlaces'];
}

/** A manifest whose document was refused, with the same function. */
interface RefusedDocument extends RefusedManifest {
  readonly withPlaces: ParsedDocument['withInnerPlaces'];
}

/** The content of one file: its well-formed documents, and the findings of the others. */
export interface ReadFile {
  readonly path: string;
  /** Digest of the bytes: the same content is not reported twice. */
  readonly version: string;
  /** Inode, size and time of change: a file with the same stamp is not read again. */
  readonly stamp: string;
  readonly documents: readonly FoundDocument[];
  readonly findings: readonly Finding[];
  /** Orbisets whose document was refused. */
  readonly refused: readonly UncheckedOrbiset[];
  /** Manifests whose document was refused. */
  readonly refusedManifests: readonly RefusedDocument[];
  /** Documents whose text was refused and whose envelope is right: only checked, never used. */
  readonly drafts: readonly FoundDocument[];
  /** A document of the file could not be read at all, so its resource is unknown. */
  readonly broken: boolean;
  /** What a broken file seems to have as `orb_id`; empty when it is not broken, or nothing was found. */
  readonly ids: readonly string[];
}

const FORMATS: Readonly<Record<string, 'json' | 'yaml'>> = { '.json': 'json', '.yaml': 'yaml', '.yml': 'yaml' };
// More than any real manifest; a larger file is there by mistake.
const MAX_BYTES = 4 * 1024 * 1024;

/** After these repeats the files found last count: a link without a target vanishes at every read. */
const MORE_READS = 2;

type Where = Pick<ReadFile, 'path' | 'stamp'>;

const fault = (where: Where, version: string, code: string, detail: string): ReadFile => ({
  ...where,
  version,
  documents: [],
  findings: [{ code, pointer: '', detail, severity: 'error' }],
  refused: [],
  refusedManifests: [],
  drafts: [],
  broken: true,
  ids: [],
});

/** The content of a file. */
type Content = Omit<ReadFile, 'path' | 'stamp' | 'version'>;

const seenIds = (text: string, broken: boolean): readonly string[] => (broken ? orbIdsIn(text) : []);

/** What one document adds to the content of its file. */
type Part = Partial<Omit<Content, 'broken' | 'ids'>> & Pick<Content, 'findings'>;

function readAccepted(value: JsonValue, { withPlaces, withInnerPlaces }: ParsedDocument): Part {
  const checked = checkDocument(value);
  const findings = withPlaces(checked.findings);
  if (checked.ok) return { findings, documents: [{ resource: checked.value, withPlaces: withInnerPlaces }] };
  const orbiset = refusedOrbiset(value);
  const manifest = refusedManifest(value);
  return {
    findings,
    refused: orbiset === undefined ? [] : [orbiset],
    refusedManifests: manifest === undefined ? [] : [{ ...manifest, withPlaces: withInnerPlaces }],
  };
}

/** A text that was refused. Its findings include what is wrong with its envelope. */
function readDraft({ draft, findings, withPlaces, withInnerPlaces }: ParsedDocument): Part {
  if (draft === undefined) return { findings };
  const checked = checkDocument(draft);
  const all = [...findings, ...furtherErrors(findings, withPlaces(checked.findings))];
  if (checked.ok) return { findings: all, drafts: [{ resource: checked.value, withPlaces: withInnerPlaces }] };
  const manifest = refusedManifest(draft);
  return {
    findings: all,
    refusedManifests: manifest === undefined ? [] : [{ ...manifest, withPlaces: withInnerPlaces }],
  };
}

/** Reads the documents of a text. */
export function parseContent(text: string, format: 'json' | 'yaml'): Content {
  const parts = parseDocuments(text, format).map((one) => (one.ok ? readAccepted(one.value, one) : readDraft(one)));
  const broken = parts.some(({ documents = [] }) => documents.length === 0);
  return {
    documents: parts.flatMap(({ documents = [] }) => documents),
    findings: parts.flatMap(({ findings }) => findings),
    refused: parts.flatMap(({ refused = [] }) => refused),
    refusedManifests: parts.flatMap(({ refusedManifests = [] }) => refusedManifests),
    drafts: parts.flatMap(({ drafts = [] }) => drafts),
    broken,
    ids: seenIds(text, broken),
  };
}

async function readOne(path: string, before: ReadFile | undefined): Promise<ReadFile> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  const where = { path, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` };
  if (before?.stamp === where.stamp) return before;
  if (size > MAX_BYTES)
    return fault(where, `size ${size}`, 'file-too-large', `The file is larger than ${MAX_BYTES} bytes.`);
  const bytes = await readFile(path);
  // A full disk or an interrupted write leaves an empty file. A user that wants no manifest removes the file, or writes
  // a comment.
  if (bytes.length === 0)
    return fault(where, 'size 0', 'file-empty', 'The file is empty: write a manifest into it, or remove it.');
  const version = createHash('sha256').update(bytes).digest('hex');
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { ...where, version, ...parseContent(text, FORMATS[extname(path)] ?? 'yaml') };
  } catch (error) {
    if (error instanceof TypeError) return fault(where, version, 'not-utf8', 'The file is not UTF-8.');
    throw error;
  }
}

async function readIfReadable(path: string, before: ReadFile | undefined): Promise<ReadFile | undefined> {
  try {
    return await readOne(path, before);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return undefined;
    const where = { path, stamp: 'unreadable' };
    return fault(where, `error ${String(code)}`, 'file-unreadable', `The file can't be read: ${String(code)}.`);
  }
}

/**
 * A path that can't be inspected counts as a file, so that reading it reports the cause. Only a missing path is absent.
 */
async function kindOf(path: string): Promise<'file' | 'other' | 'gone'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'other';
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? 'gone' : 'file';
  }
}

interface Listed {
  readonly files: readonly ReadFile[];
  /** A file vanished while the folder was read: it may have a new name now. */
  readonly isMoving: boolean;
}

/** Suites stand beside the manifests that they test (trust.md §8.3). Names that begin with a dot are no files of ours. */
export const isManifestFile = (name: string): boolean =>
  extname(name) in FORMATS && !name.startsWith('.') && !name.endsWith(SUITE_SUFFIX);

async function readListed(folder: string, before: readonly ReadFile[]): Promise<Listed> {
  const known = new Map(before.map((file) => [file.path, file] as const));
  const names = (await readdir(folder)).filter(isManifestFile);
  const paths = names.toSorted().map((name) => join(folder, name));
  const kinds = await Promise.all(paths.map(kindOf));
  const files: ReadFile[] = [];
  let isMoving = kinds.includes('gone');
  for (const path of paths.filter((_, index) => kinds[index] === 'file')) {
    const file = await readIfReadable(path, known.get(path));
    if (file === undefined) isMoving = true;
    else files.push(file);
  }
  return { files, isMoving };
}

/**
 * Reads every `*.json`, `*.yaml` and `*.yml` of a folder, without its subfolders. Names that begin with a dot are
 * skipped (`..data` of an atomic volume swap), and so are suites, `*.orbtest.json`. When a file vanishes meanwhile, the folder is read again: the file may
 * have been renamed.
 * @param before files of the last call: an unchanged file is the same object
 * @throws the folder itself can't be read
 */
export async function readFolder(folder: string, before: readonly ReadFile[] = []): Promise<readonly ReadFile[]> {
  let { files, isMoving } = await readListed(folder, before);
  for (let more = MORE_READS; more > 0 && isMoving; more -= 1)
    ({ files, isMoving } = await readListed(folder, [...before, ...files]));
  return files;
}
