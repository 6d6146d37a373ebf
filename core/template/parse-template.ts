import type { WrongReference } from './suggest-reference.ts';

/** Literal text between placeholders. */
export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** `{{orbiset.secrets.ENTRY}}`, or `{{orbiset.secrets.ENTRY:path}}` for the rest of a path with its slashes. */
export interface SecretPart {
  readonly kind: 'secret';
  readonly entry: string;
  /** Present in the form with `:path`. */
  readonly isPath?: true;
}

/** A secret as it is written. */
export const secretText = ({ entry, isPath }: SecretPart): string =>
  `{{orbiset.secrets.${entry}${isPath === true ? ':path' : ''}}}`;

/** `{{inputs.NAME}}` */
interface InputPart {
  readonly kind: 'input';
  readonly name: string;
}

export type TemplatePart = TextPart | SecretPart | InputPart;

export type ParsedTemplate =
  | { readonly kind: 'parsed'; readonly parts: readonly TemplatePart[] }
  | { readonly kind: 'refused'; readonly code: 'template-too-large' | 'template-invalid-unicode' }
  | {
      readonly kind: 'refused';
      readonly code: 'template-unknown-reference';
      /** The first wrong references of the field, at most five, in order. */
      readonly wrong: readonly WrongReference[];
      /** How many follow. */
      readonly more: number;
    };

/** Placeholders of one execution. Real executions hold a few dozen; more only cost memory for every caller. */
export const MAX_PLACEHOLDERS = 1000;
/** UTF-16 units of one field. etcd stores no manifest beyond 1.5 MB. */
const MAX_FIELD_CHARS = 1_048_576;

const REFERENCE =
  /\{\{ *(?:orbiset\.secrets\.(?<entry>[A-Za-z0-9._-]{1,253})(?<path>:path)?|inputs\.(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})) *\}\}/y;

function referenceAt(text: string, start: number): { readonly part: TemplatePart; readonly end: number } | undefined {
  REFERENCE.lastIndex = start;
  const groups = REFERENCE.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { entry, path, name } = groups;
  const end = REFERENCE.lastIndex;
  if (entry !== undefined)
    return { part: { kind: 'secret', entry, ...(path === undefined ? {} : { isPath: true }) }, end };
  return name === undefined ? undefined : { part: { kind: 'input', name }, end };
}

/** An author corrects a few at a time; ten thousand would only cost memory. */
const MAX_WRONG = 5;
const MAX_WRONG_CHARS = 80;

/** @param open where `{{` stands */
function wrongAt(text: string, open: number): { readonly wrong: WrongReference; readonly end: number } {
  const start = open + 2;
  const line = text.slice(start, start + MAX_WRONG_CHARS + 2);
  const close = line.indexOf('}}');
  const next = line.indexOf('{{', 1);
  const closed = close >= 0 && (next < 0 || close < next);
  const rest = /^[^\s"'<>&/?},]*/.exec(line.trimStart())?.[0] ?? '';
  const inner = closed ? line.slice(0, close) : rest;
  return { wrong: { text: inner.trim(), closed }, end: closed ? start + close + 2 : start };
}

/** The wrong references from a place on. */
function wrongFrom(text: string, first: number): { readonly wrong: readonly WrongReference[]; readonly more: number } {
  const found: WrongReference[] = [];
  let more = 0;
  for (let open = first; open !== -1;) {
    const reference = referenceAt(text, open);
    const { wrong, end } = wrongAt(text, open);
    if (reference === undefined && found.length === MAX_WRONG) more += 1;
    else if (reference === undefined) found.push(wrong);
    open = text.indexOf('{{', reference?.end ?? end);
  }
  return { wrong: found, more };
}

/**
 * Splits one field at its placeholders (security.md §4). `{{` always begins a placeholder. If it is neither of the two
 * references, it is refused and never sent as text. `}}` alone is text. Linear in the text, stops at the limits.
 */
export function parseTemplate(text: string): ParsedTemplate {
  if (text.length > MAX_FIELD_CHARS) return { kind: 'refused', code: 'template-too-large' };
  if (!text.isWellFormed()) return { kind: 'refused', code: 'template-invalid-unicode' };
  const parts: TemplatePart[] = [];
  let placeholders = 0;
  let at = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    const found = referenceAt(text, open);
    if (found === undefined) return { kind: 'refused', code: 'template-unknown-reference', ...wrongFrom(text, open) };
    placeholders += 1;
    if (placeholders > MAX_PLACEHOLDERS) return { kind: 'refused', code: 'template-too-large' };
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    parts.push(found.part);
    at = found.end;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return { kind: 'parsed', parts };
}
