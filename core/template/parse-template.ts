/** Literal text between placeholders. */
export interface TextPart {
  readonly kind: 'text';
  readonly text: string;
}

/** `{{orbiset.secrets.ENTRY}}` */
export interface SecretPart {
  readonly kind: 'secret';
  readonly entry: string;
}

/** `{{inputs.NAME}}` */
interface InputPart {
  readonly kind: 'input';
  readonly name: string;
}

export type TemplatePart = TextPart | SecretPart | InputPart;

export type ParsedTemplate =
  | { readonly kind: 'parsed'; readonly parts: readonly TemplatePart[] }
  | {
      readonly kind: 'refused';
      readonly code: 'template-unknown-reference' | 'template-too-large' | 'template-invalid-unicode';
    };

/** Placeholders of one execution. Real executions hold a few dozen; more only cost memory for every caller. */
export const MAX_PLACEHOLDERS = 1000;
/** UTF-16 units of one field. etcd stores no manifest beyond 1.5 MB. */
const MAX_FIELD_CHARS = 1_048_576;

const REFERENCE =
  /\{\{ *(?:orbiset\.secrets\.(?<entry>[A-Za-z0-9._-]{1,253})|inputs\.(?<name>[A-Za-z_][A-Za-z0-9_]{0,63})) *\}\}/y;

function referenceAt(text: string, start: number): { readonly part: TemplatePart; readonly end: number } | undefined {
  REFERENCE.lastIndex = start;
  const groups = REFERENCE.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { entry, name } = groups;
  const end = REFERENCE.lastIndex;
  if (entry !== undefined) return { part: { kind: 'secret', entry }, end };
  return name === undefined ? undefined : { part: { kind: 'input', name }, end };
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
    if (found === undefined) return { kind: 'refused', code: 'template-unknown-reference' };
    placeholders += 1;
    if (placeholders > MAX_PLACEHOLDERS) return { kind: 'refused', code: 'template-too-large' };
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) });
    parts.push(found.part);
    at = found.end;
  }
  if (at < text.length) parts.push({ kind: 'text', text: text.slice(at) });
  return { kind: 'parsed', parts };
}
