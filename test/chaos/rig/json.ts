import { isRecord } from '../../../hack/control-plane/json.ts';

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
