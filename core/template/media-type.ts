/** How a body is escaped, by its media type (security.md §4.1). `opaque`: it takes no placeholders. */
export type BodyKind = 'json' | 'xml' | 'form' | 'text' | 'opaque';

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9a-z]+";
const TYPE = new RegExp(`^${TOKEN}/(?<subtype>${TOKEN})$`);

/** @param contentType value of the header, parameters are ignored */
export function bodyKindOf(contentType: string): BodyKind {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  const subtype = TYPE.exec(type)?.groups?.['subtype'];
  if (subtype === undefined) return 'opaque';
  if (/^(?:.*\+)?json$/.test(subtype)) return 'json';
  if (/^(?:.*\+)?xml$/.test(subtype)) return 'xml';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  return type.startsWith('text/') || type === 'application/x-ndjson' ? 'text' : 'opaque';
}
