const BEYOND_ASCII = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Node reads header bytes as Latin-1, but most providers send UTF-8. A secret is found only in the UTF-8 text. */
function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

const CONTENT_TYPE = 'content-type';

/** The content type as `headerMap` has it. @param headers names in lower case */
export function contentTypeOf(headers: readonly (readonly [string, string])[]): string | undefined {
  const found = headers.filter(([name]) => name === CONTENT_TYPE);
  const [only] = found;
  return found.length === 1 && only !== undefined ? headerText(only[1]) : headerMap(found)[CONTENT_TYPE];
}

/** Headers of an answer by name; repeated ones joined by `, `. */
export function headerMap(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = map.get(name);
    const text = headerText(value);
    map.set(name, before === undefined ? text : `${before}, ${text}`);
  }
  return Object.fromEntries(map); // a header named `__proto__` becomes a member like any other
}
