export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON; undefined when the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The member `metadata`; `{}` when it is missing. */
export function metadataOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  return isRecord(metadata) ? metadata : {};
}

/** The value at a path of member names; undefined when it is missing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) found = isRecord(found) ? found[name] : undefined;
  return found;
}
