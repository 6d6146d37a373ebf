import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { checkSchema } from '../../core/manifest/check-schema.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { furtherErrors } from '../../core/manifest/further-errors.ts';
import { parseDocuments, type ParsedDocument } from '../../core/manifest/parse-text.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { checkPolicy, type CheckedPolicy } from '../../core/policy/simulation/check-policy.ts';
import { EXIT, invalid, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';
import { manifestFiles, type ManifestFile } from '../validate/manifest-files.ts';
import type { FileFinding } from '../validate/finding-text.ts';
import { policiesOf } from './policy-documents.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const DEFAULT_NAMESPACE = 'default';

/** A policy of a file, whose document passed the schema. */
export interface FilePolicy extends CheckedPolicy {
  readonly file: string;
  /** `namespace/name`, or the name alone when the file gives no namespace. */
  readonly title: string;
}

/** Every policy that the arguments name, and what is wrong with them. */
export interface ReadPolicies {
  readonly files: number;
  readonly policies: readonly FilePolicy[];
  /** By file, line and column. */
  readonly findings: readonly FileFinding[];
}

interface DocumentResult {
  readonly policies: readonly FilePolicy[];
  readonly findings: readonly Finding[];
}

const below = (pointer: string, findings: readonly Finding[]): readonly Finding[] =>
  findings.map((finding) => ({ ...finding, pointer: `${pointer}${finding.pointer}` }));

function readPolicy(value: JsonValue, pointer: string, file: string, now: number): DocumentResult {
  const checked = checkSchema('orbpolicy', value);
  if (!checked.ok) return { policies: [], findings: below(pointer, checked.findings) };
  const { metadata, spec } = checked.value;
  const { name, namespace } = metadata;
  const found = checkPolicy({ namespace: namespace ?? DEFAULT_NAMESPACE, name, spec }, now, CEL_ENGINE);
  const title = namespace === undefined ? name : `${namespace}/${name}`;
  return { policies: [{ ...found, file, title }], findings: below(pointer, found.findings) };
}

function readDocument(document: ParsedDocument, file: string, now: number): DocumentResult {
  const value = document.ok ? document.value : document.draft;
  if (value === undefined) return { policies: [], findings: document.findings };
  const { policies, findings } = policiesOf(value);
  const read = policies.map((policy) => readPolicy(policy.value, policy.pointer, file, now));
  const found = document.withInnerPlaces([...findings, ...read.flatMap((one) => one.findings)]);
  if (!document.ok)
    return { policies: [], findings: [...document.findings, ...furtherErrors(document.findings, found)] };
  return {
    policies: read.flatMap((one) => one.policies),
    findings: found,
  };
}

const byPlace = (one: Finding, other: Finding): number =>
  (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0);

async function readFile({ path, format }: ManifestFile, io: Io): Promise<DocumentResult> {
  const documents = parseDocuments(await readText(path, MAX_BYTES, io), format);
  const read = documents.map((document) => readDocument(document, path, io.clock.now()));
  return {
    policies: read.flatMap(({ policies }) => policies),
    findings: read.flatMap(({ findings }) => findings).toSorted(byPlace),
  };
}

/** Reads the policies of one argument: a file, which must hold one, or a folder. */
async function readArgument(path: string, io: Io): Promise<ReadPolicies> {
  const files = await manifestFiles(path);
  const policies: FilePolicy[] = [];
  const findings: FileFinding[] = [];
  for (const file of files) {
    const read = await readFile(file, io);
    policies.push(...read.policies);
    findings.push(...read.findings.map((finding) => ({ file: file.path, finding })));
  }
  if (policies.length === 0 && findings.length === 0) throw invalid(`${path}: it holds no OrbPolicy`);
  return { files: files.length, policies, findings };
}

/**
 * Reads and checks every OrbPolicy of files and folders; objects of other kinds are left out. Calls no server.
 * @param paths of which `-` is standard input
 * @throws Failure one can't be read, or holds no policy
 */
export async function readPolicies(paths: readonly string[], io: Io): Promise<ReadPolicies> {
  const read: ReadPolicies[] = [];
  for (const path of paths) read.push(await readArgument(path, io));
  return {
    files: read.reduce((sum, { files }) => sum + files, 0),
    policies: read.flatMap(({ policies }) => policies),
    findings: read.flatMap(({ findings }) => findings),
  };
}

const isError = ({ finding }: FileFinding): boolean => finding.severity === 'error';

/** Errors of all files. */
export const errorsOf = ({ findings }: ReadPolicies): readonly FileFinding[] => findings.filter(isError);

/** How many tests did not pass. */
export const failedTests = ({ policies }: Pick<ReadPolicies, 'policies'>): number =>
  policies.flatMap(({ tests }) => tests).filter(({ passed }) => !passed).length;

/** 2 when something has an error, else 1 when a test failed. */
export function exitOf(read: ReadPolicies): Exit {
  if (errorsOf(read).length > 0) return EXIT.invalid;
  return failedTests(read) > 0 ? EXIT.negative : EXIT.ok;
}

/** Policies and findings for machines. */
export const policiesValue = ({ files, policies, findings }: ReadPolicies): JsonObject => ({
  files,
  policies: policies.map(({ file, definition, compiled, tests, title }) => ({
    file,
    policy: title,
    mode: definition.spec.mode,
    policy_digest: definition.digest,
    compiles: compiled !== undefined,
    ...(compiled === undefined ? {} : { reads_facts: compiled.readsFacts, cost_units: { ...compiled.costUnits } }),
    tests: tests.map(({ name, passed, detail }) => ({ name, passed, ...(passed ? {} : { detail }) })),
  })),
  findings: findings.map(({ file, finding }) => ({ file, ...finding })),
});
