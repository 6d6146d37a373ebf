import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findingsBelow } from '../../core/files/refused-findings.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { checkDocument, refusedManifest } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { furtherErrors } from '../../core/manifest/further-errors.ts';
import { parseDocuments, type ParsedDocument } from '../../core/manifest/parse-text.ts';
import { readJsonText } from '../../core/manifest/text/json-reader.ts';
import { withPlaces } from '../../core/manifest/text/reading.ts';
import { checkCoverage } from '../../core/suite/check-coverage.ts';
import { readSuite, suiteDigest, type SuiteDocument } from '../../core/suite/read-suite.ts';
import { MAX_SUITE_BYTES } from '../../core/suite/suite-schema.ts';
import { SUITE_SUFFIX } from '../../core/suite/suite.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';
import { fileOf } from '../validate/manifest-files.ts';
import type { FileFinding } from '../validate/finding-text.ts';

/** An Orb of a file, and its suites. */
export interface TestedOrb {
  readonly path: string;
  readonly manifest: JsonObject;
  readonly orb: CompiledOrb;
  /** Origins of `--egress-allow`. */
  readonly allowedOrigins: readonly string[];
  readonly suites: readonly SuiteDocument[];
  /** Null without suites. */
  readonly suiteDigest: string | null;
}

/** What reading gave: `orb` is undefined when manifest or suites have errors that keep them from being run. */
export interface ReadOrb {
  readonly orb: TestedOrb | undefined;
  readonly findings: readonly FileFinding[];
  /** Files that were read: a watch looks at them. */
  readonly texts: ReadonlyMap<string, string>;
}

const MAX_MANIFEST_BYTES = 16 * 1024 * 1024;

interface ReadManifest {
  readonly manifest: JsonObject;
  readonly orb: CompiledOrb | undefined;
  readonly findings: readonly Finding[];
}

/** Everything that is wrong with a document that is refused. It never runs. */
function refusedDocument(
  { draft, findings, withPlaces: placed }: ParsedDocument,
  allowedOrigins: readonly string[],
): readonly Finding[] {
  if (draft === undefined) return findings;
  const checked = checkDocument(draft);
  const manifest = refusedManifest(draft);
  const rest =
    manifest === undefined ? [] : compileOrb(manifest.manifest, { namespace: 'default', allowedOrigins }).findings;
  const envelope = [...findings, ...furtherErrors(findings, placed(checked.findings))];
  return [...envelope, ...furtherErrors(envelope, placed(findingsBelow(manifest?.pointer ?? '', rest)))];
}

/** The Orb of one document; undefined for another kind of resource, or with errors. */
function readDocument(
  document: ParsedDocument,
  allowedOrigins: readonly string[],
): { readonly orb: ReadManifest | undefined; readonly findings: readonly Finding[] } {
  if (!document.ok) return { orb: undefined, findings: refusedDocument(document, allowedOrigins) };
  const checked = checkDocument(document.value);
  if (!checked.ok) {
    const refused = { ...document, findings: document.withPlaces(checked.findings), draft: document.value };
    return { orb: undefined, findings: refusedDocument(refused, allowedOrigins) };
  }
  if (checked.value.kind !== 'Orb') return { orb: undefined, findings: [] };
  const { manifest, pointer, namespace } = checked.value;
  const compiled = compileOrb(manifest, { namespace, allowedOrigins });
  const orb = compiled.ok ? compiled.value : undefined;
  return {
    orb: { manifest, orb, findings: document.withPlaces(findingsBelow(pointer, compiled.findings)) },
    findings: [],
  };
}

/** @throws Failure the file holds no Orb, or more than one */
function readManifest(path: string, text: string, allowedOrigins: readonly string[]): ReadManifest {
  const read = parseDocuments(text, fileOf(path).format).map((document) => readDocument(document, allowedOrigins));
  const findings = read.flatMap((document) => document.findings);
  const [first, ...others] = read.flatMap(({ orb }) => orb ?? []);
  if (others.length > 0) throw invalid(`${path}: it holds ${others.length + 1} Orbs; name a file with one`);
  if (first !== undefined) return { ...first, findings: [...findings, ...first.findings] };
  if (!hasError(findings)) throw invalid(`${path}: it holds no manifest`);
  return { manifest: {}, orb: undefined, findings };
}

interface SuiteFile {
  readonly path: string;
  /** Undefined: the text is no JSON, or not that of one document. */
  readonly value: JsonValue | undefined;
  readonly findings: readonly Finding[];
  /** Adds line and column to findings about the value. */
  readonly placed: (findings: readonly Finding[]) => readonly Finding[];
}

/** A suite may hold null, unlike a manifest: providers answer it. */
function parseSuite(path: string, text: string): SuiteFile {
  const { reading, value } = readJsonText(text, { keepsOffsets: true });
  const isRead = reading.findings.length === 0;
  return {
    path,
    value: isRead ? value : undefined,
    findings: reading.findings,
    placed: (findings) => withPlaces(reading, findings),
  };
}

/** Suites beside a manifest, `*.orbtest.json`, that are not of another Orb. */
async function besides(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  return (await readdir(folder))
    .filter((name) => name.endsWith(SUITE_SUFFIX) && !name.startsWith('.'))
    .toSorted()
    .map((name) => join(folder, name));
}

const isOfOther = ({ value }: SuiteFile, orbName: string): boolean => {
  const named = member(value, 'orb');
  return typeof named === 'string' && named !== orbName;
};

const placed = (file: string, findings: readonly Finding[]): readonly FileFinding[] =>
  findings.map((finding) => ({ file, finding }));

const hasError = (findings: readonly Finding[]): boolean => findings.some(({ severity }) => severity === 'error');

interface ReadSuites {
  readonly suites: readonly SuiteDocument[];
  readonly findings: readonly FileFinding[];
  readonly isRunnable: boolean;
}

function checkSuites(files: readonly SuiteFile[], orb: CompiledOrb, manifestPath: string): ReadSuites {
  const read = files.map(({ path, value, findings, placed: withPlace }) => {
    if (value === undefined) return { path, suite: undefined, findings };
    const checked = readSuite(value, orb, '');
    return { path, suite: checked.ok ? checked.value : undefined, findings: withPlace(checked.findings) };
  });
  const suites = read.flatMap(({ suite }) => suite ?? []);
  const own = read.flatMap(({ path, findings }) => placed(path, findings));
  const isRead = suites.length === read.length;
  const coverage = isRead && suites.length > 0 ? checkCoverage(suites, orb.manifest, '') : [];
  const isRunnable = isRead && !coverage.some(({ code }) => code === 'suite-invalid');
  return { suites, findings: [...own, ...placed(manifestPath, coverage)], isRunnable };
}

/**
 * Reads a manifest and its suites.
 * @param named suite files; empty: those beside the manifest
 * @throws Failure a file can't be read, or the manifest's file does not hold exactly one Orb
 */
export async function readTestedOrb(
  path: string,
  named: readonly string[],
  allowedOrigins: readonly string[],
  io: Io,
): Promise<ReadOrb> {
  const text = await readText(path, MAX_MANIFEST_BYTES, io);
  const texts = new Map([[path, text]]);
  const { manifest, orb, findings } = readManifest(path, text, allowedOrigins);
  const files: SuiteFile[] = [];
  for (const file of named.length > 0 ? named : await besides(path)) {
    const content = await readText(file, MAX_SUITE_BYTES, io);
    texts.set(file, content);
    files.push(parseSuite(file, content));
  }
  const ofManifest = placed(path, findings);
  if (orb === undefined || hasError(findings)) return { orb: undefined, findings: ofManifest, texts };
  const name = orb.orbId.split('@')[0] ?? '';
  const wanted = named.length > 0 ? files : files.filter((file) => !isOfOther(file, name));
  const { suites, findings: ofSuites, isRunnable } = checkSuites(wanted, orb, path);
  const all = [...ofManifest, ...ofSuites];
  if (!isRunnable) return { orb: undefined, findings: all, texts };
  const digest = suites.length === 0 ? null : suiteDigest(suites);
  return { orb: { path, manifest, orb, allowedOrigins, suites, suiteDigest: digest }, findings: all, texts };
}
