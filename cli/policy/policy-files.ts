import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseDocuments, type ParsedDocument } from '../../core/manifest/parse-text.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { readText } from '../io/read-file.ts';
import { findingText, type FileFinding } from '../validate/finding-text.ts';
import { manifestFiles, type ManifestFile } from '../validate/manifest-files.ts';
import { policiesOf } from './policy-documents.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** A policy of a file, as it is sent to the API, which checks it. */
export interface SentPolicy {
  readonly file: string;
  readonly value: JsonObject;
  /** Adds file, line and column to findings whose pointers are relative to the policy. */
  readonly placesOf: (findings: readonly Finding[]) => readonly FileFinding[];
}

interface FilePolicies {
  readonly policies: readonly SentPolicy[];
  readonly findings: readonly FileFinding[];
}

/** What the server writes into an object: `orb policy get -o yaml` prints it, and it is not sent back. */
const SERVER_MEMBERS = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);

function withoutStatus(value: JsonObject): JsonObject {
  const { status: _status, ...sent } = value;
  if (!isJsonObject(sent['metadata'])) return sent;
  const metadata = Object.entries(sent['metadata']).filter(([name]) => !SERVER_MEMBERS.has(name));
  return { ...sent, metadata: Object.fromEntries(metadata) };
}

function inDocument(document: ParsedDocument, file: string): FilePolicies {
  const placed = (findings: readonly Finding[]): readonly FileFinding[] =>
    document.withPlaces(findings).map((finding) => ({ file, finding }));
  if (!document.ok) return { policies: [], findings: document.findings.map((finding) => ({ file, finding })) };
  const { policies, findings } = policiesOf(document.value);
  const sent = policies.flatMap(({ value, pointer }) => {
    const placesOf: SentPolicy['placesOf'] = (found) =>
      placed(found.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` })));
    return isJsonObject(value) ? [{ file, value: withoutStatus(value), placesOf }] : [];
  });
  return { policies: sent, findings: placed(findings) };
}

async function inFile({ path, format }: ManifestFile, io: Io): Promise<FilePolicies> {
  const read = parseDocuments(await readText(path, MAX_BYTES, io), format).map((one) => inDocument(one, path));
  return { policies: read.flatMap(({ policies }) => policies), findings: read.flatMap(({ findings }) => findings) };
}

/**
 * Reads the policies of files and folders to send them; objects of other kinds are left out.
 * @param paths of which `-` is standard input
 * @throws Failure (2) one can't be read, is no JSON or YAML (its faults are on stderr then), or holds no policy
 */
export async function policiesIn(paths: readonly string[], io: Io): Promise<readonly SentPolicy[]> {
  const all: SentPolicy[] = [];
  const faults: FileFinding[] = [];
  for (const path of paths) {
    const before = all.length + faults.length;
    for (const file of await manifestFiles(path)) {
      const { policies, findings } = await inFile(file, io);
      all.push(...policies);
      faults.push(...findings);
    }
    if (all.length + faults.length === before) throw invalid(`${path}: it holds no OrbPolicy`);
  }
  if (faults.length === 0) return all;
  io.err(faults.map(findingText).join(''));
  throw invalid('nothing was sent: the files have errors');
}

/** The policy with the namespace of `--namespace`. @throws Failure (64) the file names another one */
export function inNamespace({ file, value }: SentPolicy, namespace: string | undefined): JsonObject {
  if (namespace === undefined) return value;
  const metadata = objectAt(value, 'metadata');
  const written = metadata['namespace'];
  if (written !== undefined && written !== namespace)
    throw usage(`${file}: the policy is of another namespace than --namespace ${printable(namespace)}`);
  return { ...value, metadata: { ...metadata, namespace } };
}
