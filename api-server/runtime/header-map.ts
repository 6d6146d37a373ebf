const BEYOND_ASCII = /[\u0080-\u00ff]/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Node reads header bytes as Latin-1. Most who send others mean UTF-8, and only as that is a secret found in them. */
function headerText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Headers of an answer by name; repeated ones joined by `, `. */
export function headerMap(headers: readonly (readonly [string, string])[]): Record<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = map.get(name);
    const text = headerText(value);
    map.set(name, before === undefined ? text : `${before}, ${text}`);
  }
  return Object.fromEntries(map); // a header may be called `__proto__`: it becomes a member like any other
}
