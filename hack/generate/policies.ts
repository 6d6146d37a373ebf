import { ORB_FACTS } from '../../core/policy/facts/orb-facts.ts';
import { rootOf } from '../../core/policy/facts/fact-schema.ts';
import { LINT_CODES } from '../../core/policy/language/lint-codes.ts';
import { languageReference, type FactRow, type FunctionRow } from '../../core/policy/simulation/language-reference.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { code, prose } from './reference.ts';

const PATH = 'docs/reference/policies.md';

const INTRODUCTION = `# Policies

What the rules of an OrbPolicy can name. [Policies](../policies.md) shows how you write and test one,
[resources](resources.md) lists the fields of the resource.

A condition is an expression of [CEL](https://cel.dev). It has the operators \`!\`, \`&&\`, \`||\`, \`? :\`, \`==\`, \`!=\`, \`<\`, \`<=\`,
\`>\`, \`>=\`, \`+\`, \`-\`, \`*\`, \`/\`, \`%\`, \`in\`, \`[…]\`, and the macros \`has(FACT)\`, \`all\`, \`exists\`, \`exists_one\`, \`map\` and
\`filter\`. There are no doubles, bytes or null: a price is an int, such as millionths of a dollar.

`;

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

function rangeText({ min, max }: FactRow): string {
  if (min === undefined || max === undefined) return '';
  return max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `${min}–${max}`;
}

function boundsText(fact: FactRow): string {
  const { max_items: items, max_length: length } = fact;
  if (items === undefined) return length === undefined ? rangeText(fact) : `≤ ${length} characters`;
  return `≤ ${items} ${fact.type.startsWith('map') ? 'keys' : 'items'} of ≤ ${length} characters`;
}

const yes = (isSo: boolean): string => (isSo ? 'yes' : '');

const factRow = (fact: FactRow): readonly string[] => [
  code(fact.path),
  code(fact.type),
  boundsText(fact),
  fact.phase,
  yes(fact.nullable),
  yes(fact.stateful),
  prose(fact.doc),
];

function factsText(facts: readonly FactRow[]): string {
  const columns = ['Fact', 'Type', 'Bounds', 'From phase', 'May be absent', 'Counts runs', 'Meaning'];
  const byRoot = Map.groupBy(facts, ({ path }) => rootOf(path));
  return [...byRoot].map(([root, rows]) => `### ${root}\n\n${table(columns, rows.map(factRow))}\n`).join('');
}

const callText = ({ name, receiver, args }: FunctionRow): string =>
  `${receiver === undefined ? '' : `${receiver}.`}${name}(${args.join(', ')})`;

/** A row for each name: its forms, and the type of their result. */
function functionRows(functions: readonly FunctionRow[]): readonly (readonly string[])[] {
  const byName = Map.groupBy(functions, ({ name, returns }) => `${name} ${returns}`);
  return [...byName.values()].map((forms) => [
    forms.map((form) => code(callText(form))).join(', '),
    code(forms[0]?.returns ?? ''),
  ]);
}

/** The page, without the formatter's spaces. */
function pageText(): string {
  const { schema, facts, functions, obligations } = languageReference(ORB_FACTS);
  const codes = Object.entries(LINT_CODES).map(([name, { level, doc }]) => [code(name), level, doc]);
  return `${INTRODUCTION}## Facts

These are the facts of ${code(schema)}. A fact is there from its phase on: a policy whose \`match.phases\` names an earlier one
can't read it. Ask for one that may be absent with \`has()\`: a rule that reads an absent fact fails. A value beyond its bounds
is absent.

${factsText(facts)}### inputs

${code('inputs.NAME')} is the value of an input that ${code('spec.inputFacts')} declares as \`string\`, \`int\` or \`bool\`, from phase
PreFlight on. It may be absent. Its value is stored with the facts of the run.

## Functions

The string of the functions of a \`timestamp\` names a time zone, such as \`"Europe/Berlin"\`. Without it they are in UTC.

${table(['Call', 'Result'], functionRows(functions))}
## Obligations

A rule with effect \`require\` or \`allow\` can have obligations. Those of all rules are united.

${table(
  ['Type', 'Parameters', 'Phases', 'Meaning'],
  obligations.map(({ type, parameters, phases, doc }) => [
    code(type),
    parameters.map(code).join(', '),
    phases.join(', '),
    prose(doc),
  ]),
)}
## Findings

\`orb policy validate\` and the status of a policy name these codes. An error keeps a version from force, a warning is shown.

${table(['Code', 'Level', 'Meaning'], codes)}`;
}

/** The reference of facts, functions, obligations and codes of findings, from core/policy. */
export async function policyArtefacts(root: string): Promise<readonly Artefact[]> {
  return [{ path: PATH, text: await formatted(root, PATH, pageText()) }];
}
