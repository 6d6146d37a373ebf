import { ENTRY_MEMBERS, type MemberForm } from '../../core/log-entry/entry-members.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { KIND_MEANINGS, MEMBER_MEANINGS } from './log-entry-meanings.ts';
import { code } from './reference.ts';

const PATH = 'docs/reference/log-entries.md';

const INTRODUCTION = `# Log entries

The transparency log is public, and an entry never changes. It is one line of canonical JSON (RFC 8785) with at most 65535 bytes,
and has exactly the members that its kind has here, beside \`v\` (1) and \`kind\`. Its leaf is \`SHA-256(0x00 || entry)\`.

\`GET /log/tile/entries/…\` serves the entries, 256 a file (C2SP tlog-tiles), \`GET /log/checkpoint\` the signed size and root.
Scores follow from the entries alone: [recompute a score](../recompute-a-score.md) does that, and checks the log. An entry of
another kind or form would be ignored.

`;

const FORMS: Readonly<Record<MemberForm & string, string>> = {
  text: 'string',
  'text or null': 'string or null',
  time: 'time (ISO 8601, UTC)',
  day: 'day (`YYYY-MM-DD`)',
  count: 'integer ≥ 0',
  boolean: 'boolean',
  texts: 'list of strings',
};

const formOf = (form: MemberForm): string => (typeof form === 'string' ? FORMS[form] : form.map(code).join(', '));

const isKind = (name: string): name is keyof typeof KIND_MEANINGS => Object.hasOwn(KIND_MEANINGS, name);

/** @throws TypeError nobody wrote what the member means */
function meaningOf(kind: keyof typeof KIND_MEANINGS, name: string): string {
  const meaning = KIND_MEANINGS[kind].members?.[name] ?? MEMBER_MEANINGS[name];
  if (meaning === undefined) throw new TypeError(`log-entry-meanings.ts says nothing about ${kind}.${name}`);
  return meaning;
}

function sectionOf(kind: keyof typeof KIND_MEANINGS): string {
  const { says, score } = KIND_MEANINGS[kind];
  const rows = Object.entries<MemberForm>(ENTRY_MEMBERS[kind]).map(
    ([name, form]) => `| ${code(name)} | ${formOf(form)} | ${meaningOf(kind, name)} |\n`,
  );
  return `## ${kind.replaceAll('_', String.raw`\_`)}\n\n${says} ${score}\n\n| Member | Form | Meaning |\n| --- | --- | --- |\n${rows.join('')}\n`;
}

/** The reference of log entries, from the members of core/log-entry. */
export async function logEntryArtefacts(root: string): Promise<readonly Artefact[]> {
  const text = INTRODUCTION + Object.keys(KIND_MEANINGS).filter(isKind).map(sectionOf).join('');
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
