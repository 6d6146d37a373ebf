import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { checkDocument, type Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseDocuments, type ParsedDocument } from '../../core/manifest/parse-text.ts';

/** A resource with what tells where in its file a finding stands. */
export interface FoundDocument {
  readonly resource: Resource;
  readonly withPlaces: ParsedDocument['withPlaces'];
}

/** One file as it was read: the documents that are well formed, and what is wrong with the rest. */
export interface ReadFile {
  readonly path: string;
  /** Digest of the bytes: the same content is not reported twice. */
  readonly version: string;
  /** Inode, size and time of change: a file with the same stamp is not read again. */
  readonly stamp: string;
  readonly documents: readonly FoundDocument[];
  readonly findings: readonly Finding[];
  /** A document of the file could not be read at all: nobody knows which resource it was. */
  readonly broken: boolean;
}

const FORMATS: Readonly<Record<string, 'json' | 'yaml'>> = { '.json': 'json', '.yaml': 'yaml', '.yml': 'yaml' };
// More than any real manifest; a larger file is somebody's mistake.
const MAX_BYTES = 4 * 1024 * 1024;

type Where = Pick<ReadFile, 'path' | 'stamp'>;

const fault = (where: Where, version: string, code: string, detail: string): ReadFile => ({
  ...where,
  version,
  documents: [],
  findings: [{ code, pointer: '', detail, severity: 'error' }],
  broken: true,
});

function parseFile(where: Where, text: string, version: string): ReadFile {
  const format = FORMATS[extname(where.path)] ?? 'yaml';
  const parsed = parseDocuments(text, format);
  const findings: Finding[] = [];
  const documents: FoundDocument[] = [];
  let broken = false;
  for (const result of parsed) {
    const checked = result.ok ? checkDocument(result.value) : result;
    findings.push(...result.withPlaces(checked.findings));
    if (checked.ok) documents.push({ resource: checked.value, withPlaces: result.withPlaces });
    else broken = true;
  }
  return { ...where, version, documents, findings, broken };
}

async function readOne(path: string, before: ReadFile | undefined): Promise<ReadFile> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  const where = { path, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}` };
  if (before?.stamp === where.stamp) return before;
  if (size > MAX_BYTES)
    return fault(where, `size ${size}`, 'file-too-large', `The file is larger than ${MAX_BYTES} bytes.`);
  const bytes = await readFile(path);
  // Left by a full disk or a write that was cut short; who means nothing by a file removes it, or writes a comment.
  if (bytes.length === 0)
    return fault(where, 'size 0', 'file-empty', 'The file is empty: write a manifest into it, or remove it.');
  const version = createHash('sha256').update(bytes).digest('hex');
  try {
    return parseFile(where, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), version);
  } catch (error) {
    if (error instanceof TypeError) return fault(where, version, 'not-utf8', 'The file is not UTF-8.');
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

async function readIfReadable(path: string, before: ReadFile | undefined): Promise<ReadFile | undefined> {
  try {
    return await readOne(path, before);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    const where = { path, stamp: 'unreadable' };
    return fault(where, `error ${String(code)}`, 'file-unreadable', `The file can't be read: ${String(code)}.`);
  }
}

/** What can't be looked at is taken for a file, so that reading it says why: only what is not there is absent. */
async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    return codeOf(error) !== 'ENOENT';
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.') && extname(name) in FORMATS);
  const paths = names.toSorted().map((name) => join(folder, name));
  const files = await Promise.all(paths.map(isFile));
  return paths.filter((_, index) => files[index] === true);
}

/**
 * Reads every `*.json`, `*.yaml` and `*.yml` of a folder, not below it; names that begin with a dot are left out
 * (`..data` of an atomic volume swap). A file that vanishes meanwhile is left out.
 * @param before the last look: a file that has not changed since is the same object
 * @throws the folder itself can't be read
 */
export async function readFolder(folder: string, before: readonly ReadFile[] = []): Promise<readonly ReadFile[]> {
  const known = new Map(before.map((file) => [file.path, file] as const));
  const files: (ReadFile | undefined)[] = [];
  for (const path of await listFiles(folder)) files.push(await readIfReadable(path, known.get(path)));
  return files.filter((file) => file !== undefined);
}
