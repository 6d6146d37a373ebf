import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { ENTRY_MEMBERS, type MemberForm } from './entry-members.ts';

type Members = typeof ENTRY_MEMBERS;

interface Forms {
  readonly text: string;
  readonly 'text or null': string | null;
  readonly time: string;
  readonly day: string;
  readonly count: number;
  readonly boolean: boolean;
  readonly texts: readonly string[];
}

type Held<Form> = Form extends keyof Forms ? Forms[Form] : Form extends readonly (infer Word)[] ? Word : never;

/** Names of the kinds of log entries. */
export type EntryKind = keyof Members;

/** One kind of log entry, with `kind` and without `v`. */
export type EntryOf<Kind extends EntryKind> = {
  [K in Kind]: { readonly kind: K } & { readonly [Name in keyof Members[K]]: Held<Members[K][Name]> };
}[Kind];

/** An entry of the transparency log, without `v` (trust.md §2.1). */
export type LogEntry = EntryOf<EntryKind>;

/** Canonical text of an entry, as it is hashed into the log. */
export const entryText = (entry: LogEntry): string => jcs({ v: 1, ...entry });

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

// Ages are computed from times: one that is no time would make a score that is no number.
const isDated = (value: JsonValue | undefined, form: RegExp): boolean =>
  typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value));

const isText = (value: JsonValue | undefined): boolean => typeof value === 'string';

const TESTS: Readonly<Record<keyof Forms, (value: JsonValue | undefined) => boolean>> = {
  text: isText,
  'text or null': (value) => value === null || isText(value),
  time: (value) => isDated(value, TIME),
  day: (value) => isDated(value, DAY),
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  boolean: (value) => typeof value === 'boolean',
  texts: (value) => Array.isArray(value) && value.every(isText),
};

const holds = (form: MemberForm, value: JsonValue | undefined): boolean =>
  typeof form === 'string' ? TESTS[form](value) : typeof value === 'string' && form.includes(value);

/** Once for all entries: a reader of a whole log needs it for each. */
const MEMBERS: ReadonlyMap<string, readonly (readonly [name: string, form: MemberForm])[]> = new Map(
  Object.entries(ENTRY_MEMBERS).map(([kind, members]) => [kind, Object.entries(members)]),
);

function isEntry(value: JsonObject): value is JsonObject & LogEntry {
  const { kind } = value;
  const members = typeof kind === 'string' ? MEMBERS.get(kind) : undefined;
  if (value['v'] !== 1 || members === undefined || Object.keys(value).length !== members.length + 2) return false;
  for (const [name, form] of members) if (!holds(form, value[name])) return false;
  return true;
}

/** Reads an entry. @returns undefined: not one of the kinds above, or a member is missing, unknown or of another form */
export function readEntry(text: string): LogEntry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
