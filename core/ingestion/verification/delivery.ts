/** A delivery as it came, before any parser has read its body. */
export interface Delivery {
  /** Names and values in the order of the wire; a header that came twice stands here twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** Last segment of the path `/ingest/{source_id}/{token}`; undefined without one. */
  readonly pathToken: string | undefined;
}

/**
 * The value of a header that stands exactly once, in any case of letters.
 * @returns undefined when it is missing or repeated: a repeated header is never a valid signature
 */
export function singleHeader({ headers }: Delivery, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const found = headers.filter(([given]) => given.toLowerCase() === wanted);
  return found.length === 1 ? found[0]?.[1] : undefined;
}

/** A value of a Secret without one newline at its end, as editors add it. @returns undefined when nothing is left */
export function secretBytes(stored: Uint8Array): Uint8Array | undefined {
  const LINE_FEED = 10;
  const RETURN = 13;
  let end = stored.length;
  if (stored[end - 1] === LINE_FEED) end -= stored[end - 2] === RETURN ? 2 : 1;
  // An empty key would accept the signature of anybody who knows that it is empty.
  return end === 0 ? undefined : stored.subarray(0, end);
}
