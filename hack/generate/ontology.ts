import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { danglingNames, lostNames } from '../../core/ontology/compare-versions.ts';
import type { Capability, Ontology, Term } from '../../core/ontology/ontology.ts';
import { ONTOLOGY_RULES } from '../../core/ontology/rules.ts';
import { compareVersions } from '../../core/release/semantic-version.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

const FOLDER = 'core/ontology';
const SCHEMA = 'orb-ontology.schema.json';
const FILE = /^orb-ontology-(?<version>\d+[.]\d+[.]\d+)[.]json$/;
const MODULE = `${FOLDER}/orb-ontology.ts`;
const PAGE = 'docs/reference/ontology.md';

/** A file of a version. */
interface VersionFile {
  readonly file: string;
  readonly version: string;
  readonly value: unknown;
}

/** What is wrong with a version, also compared with the version before it; empty: nothing. */
function faultsOf({ version }: VersionFile, ontology: Ontology, before: Ontology | undefined): readonly string[] {
  const lost = before === undefined ? [] : lostNames(before, ontology);
  return [
    ...(ontology.version === version ? [] : [`its version is ${ontology.version}`]),
    ...danglingNames(ontology).map((name) => `it names ${name} and does not have it`),
    ...lost.map((name) => `it lacks ${name}, which ${before?.version ?? ''} has: deprecate it instead`),
  ];
}

/**
 * Checks all versions of the ontology: their form, what they refer to, and that each has what the one before has.
 * @param files in the order of their versions
 * @param schema JSON Schema of the form
 * @returns the newest version
 * @throws Error what is wrong, and in which file
 */
export function newestOntology(files: readonly VersionFile[], schema: object): Ontology {
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile<Ontology>(schema);
  let newest: Ontology | undefined;
  for (const item of files) {
    const { value, file } = item;
    if (!validate(value)) throw new Error(`${file}: ${JSON.stringify(validate.errors)}`);
    const [fault] = faultsOf(item, value, newest);
    if (fault !== undefined) throw new Error(`${file}: ${fault}`);
    newest = value;
  }
  if (newest === undefined) throw new Error(`${FOLDER} holds no version of the ontology`);
  return newest;
}

async function readVersions(root: string): Promise<readonly VersionFile[]> {
  const names = await readdir(join(root, FOLDER));
  const files = names.flatMap((file) => {
    const version = FILE.exec(file)?.groups?.['version'];
    return version === undefined ? [] : [{ file, version }];
  });
  const read = files.map(async (item) => {
    const value: unknown = JSON.parse(await readFile(join(root, FOLDER, item.file), 'utf8'));
    return { ...item, value };
  });
  return (await Promise.all(read)).toSorted((one, other) => compareVersions(one.version, other.version));
}

const moduleText = (
  ontology: Ontology,
): string => `// generated from ${FOLDER}/orb-ontology-${ontology.version}.json by hack/generate.ts: do not edit
import type { Ontology } from './ontology.ts';

/** The version of the Orb ontology that this program checks with (trust.md §8.2). */
export const ORB_ONTOLOGY: Ontology = ${JSON.stringify(ontology)};
`;

const INTRODUCTION = `# Orb ontology

The ontology gives names to what Orbs do and to what their inputs and outputs mean. A manifest uses them in \`capabilities\`,
\`inputs.NAME.term\` and \`outputs.NAME.term\`. All of these are optional. What is published is checked with them:
\`orb validate --publish FILE\` says the same before, without a network. \`GET /.well-known/orb-ontology.json\` has
the terms and capabilities of the running platform.

A name that is missing here is an error. For a name of your own write \`x-<org>.<term>\`: no rule checks its use. A new version
adds names. It never removes one: an old name becomes deprecated, and its row says what replaces it.

`;

const EFFECTS = `An Orb declares at least the effect of each of its capabilities. Without \`effect\`, the strongest of them counts, and without
a known capability \`reversible\`. The trust score of a receipt depends on it, and a run whose effect is irreversible is judged more
strictly.

`;

const RULES = `A finding has one of these codes beside those that \`orb validate\` always finds. An error keeps a manifest from being
published. Warnings and infos do not.

`;

const code = (name: string): string => `\`${name}\``;
// The formatter reads _ as emphasis.
const prose = (text: string): string => text.replaceAll('_', String.raw`\_`);
const codes = (names: readonly string[]): string => (names.length === 0 ? '–' : names.map(code).join(', '));
const meaning = ({ description, replaced_by: other }: Term | Capability): string =>
  other === undefined ? description : `Deprecated: use ${code(other)}. ${description}`;

const termRow = ([name, term]: readonly [string, Term]): string =>
  `| ${code(name)} | ${term.types.join(', ')} | ${term.sensitivity} | ${meaning(term)} |\n`;

const capabilityRow = ([name, capability]: readonly [string, Capability]): string =>
  `| ${code(name)} | ${capability.effect} | ${codes(capability.inputs)} | ${codes(capability.outputs)} | ${meaning(capability)} |\n`;

const ruleRow = ([name, { severity, rule }]: readonly [
  string,
  { readonly severity: string; readonly rule: string },
]): string => `| ${code(name)} | ${severity} | ${prose(rule)} |\n`;

const pageText = ({ version, terms, capabilities }: Ontology): string =>
  `${INTRODUCTION}This is version ${version}.

## Terms

A value has one of the types. An input or an output with a secret term is refused: credentials belong in the vault.

| Term | Types | Sensitivity | Meaning |
| --- | --- | --- | --- |
${Object.entries(terms).map(termRow).join('')}
## Capabilities

${EFFECTS}| Capability | Effect | Needs inputs | Needs outputs | Meaning |
| --- | --- | --- | --- | --- |
${Object.entries(capabilities).map(capabilityRow).join('')}
## Rules

${RULES}| Code | Severity | Rule |
| --- | --- | --- |
${Object.entries(ONTOLOGY_RULES).map(ruleRow).join('')}`;

/** The ontology as code, from the newest file of it, and its reference. */
export async function ontologyArtefacts(root: string): Promise<readonly Artefact[]> {
  const schema: unknown = JSON.parse(await readFile(join(root, FOLDER, SCHEMA), 'utf8'));
  if (typeof schema !== 'object' || schema === null) throw new TypeError(`${SCHEMA} is no JSON object`);
  const ontology = newestOntology(await readVersions(root), schema);
  return [
    { path: MODULE, text: await formatted(root, MODULE, moduleText(ontology)) },
    { path: PAGE, text: await formatted(root, PAGE, pageText(ontology)) },
  ];
}
