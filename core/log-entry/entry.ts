import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { ENTRY_MEMBERS, type MemberForm } from './entry-members.ts';

type Members = typeof ENTRY_MEMBERS;

interface Forms {
  readonly text: string;
  readonly 'text or null': string | null;
  readonly integer: number;
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

const isKind = (kind: JsonValue | undefined): kind is EntryKind =>
  typeof kind === 'string' && Object.hasOwn(ENTRY_MEMBERS, kind);

function holds(form: MemberForm, value: JsonValue | undefined): boolean {
  switch (form) {
    case 'text':
      return typeof value === 'string';
    case 'text or null':
      return value === null || typeof value === 'string';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return typeof value === 'string' && form.includes(value);
  }
}

function isEntry(value: JsonObject): value is JsonObject & LogEntry {
  const { kind } = value;
  if (value['v'] !== 1 || !isKind(kind)) return false;
  const members: readonly (readonly [string, MemberForm])[] = Object.entries(ENTRY_MEMBERS[kind]);
  if (Object.keys(value).length !== members.length + 2) return false;
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
