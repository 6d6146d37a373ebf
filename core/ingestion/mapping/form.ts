import { decodeUtf8, encodeUtf8 } from '../../json/bytes.ts';

/** Most fields of a form. */
const MAX_FIELDS = 256;

const [PLUS, SPACE] = [0x2b, 0x20];

/** The text with a space for each plus. As bytes: `replaceAll` takes 40 ms for a million of them. */
function spaced(text: string): string {
  if (!text.includes('+')) return text;
  const bytes = encodeUtf8(text);
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === PLUS) bytes[at] = SPACE;
  return decodeUtf8(bytes) ?? text;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(spaced(text));
  } catch {
    return undefined;
  }
}

/**
 * Fields of `application/x-www-form-urlencoded`, names in lower case: StatusCake writes `Checkrate` and `CheckRate`.
 * The first of two fields with one name counts.
 * @returns an object without a prototype; undefined for too many fields or a wrong escape
 */
export function decodeForm(text: string): Readonly<Record<string, string>> | undefined {
  const fields = new Map<string, string>();
  const parts = text.split('&', MAX_FIELDS + 1);
  if (parts.length > MAX_FIELDS) return undefined;
  for (const part of parts) {
    const at = part.indexOf('=');
    const name = decoded(at < 0 ? part : part.slice(0, at))?.toLowerCase();
    const value = at < 0 ? '' : decoded(part.slice(at + 1));
    if (name === undefined || value === undefined) return undefined;
    if (name !== '' && !fields.has(name)) fields.set(name, value);
  }
  // `fromEntries` defines members, so `__proto__` is a field like others.
  return Object.fromEntries(fields);
}

const HIDDEN = '[hidden]';

/** A form without the values of its fields `token`, by which StatusCake shows its secret; all else stays byte for byte. */
export const withoutToken = (text: string): string =>
  text
    .split('&')
    .map((part) => {
      const at = part.indexOf('=');
      return at >= 0 && decoded(part.slice(0, at))?.toLowerCase() === 'token' ? `${part.slice(0, at)}=${HIDDEN}` : part;
    })
    .join('&');
