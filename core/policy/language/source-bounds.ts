import type { Problem } from './scope.ts';

/** Longest expression, bytes of UTF-8 (policy.md §1.2). */
const MAX_SOURCE_BYTES = 4096;

// Both parsers go down one level of calls for each bracket.
const MAX_BRACKETS = 24;

/** Deepest brackets; those inside strings count as well, which costs a reader nothing. */
function bracketsOf(source: string): { readonly deepest: number; readonly at: number } {
  let depth = 0;
  let found = { deepest: 0, at: 0 };
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    if (depth > found.deepest) found = { deepest: depth, at };
  }
  return found;
}

/** Checks a text before it reaches a parser, so that no text takes long to parse. */
export function boundSource(source: string): Problem | undefined {
  const bytes = Buffer.byteLength(source);
  const error = { severity: 'error', at: 0 } as const;
  if (bytes > MAX_SOURCE_BYTES)
    return {
      ...error,
      code: 'too-large',
      detail: `${bytes} bytes: write at most ${MAX_SOURCE_BYTES}, or use variables`,
    };
  const { deepest, at } = bracketsOf(source);
  if (deepest > MAX_BRACKETS)
    return { ...error, at, code: 'too-deep', detail: `brackets are ${deepest} deep: at most ${MAX_BRACKETS}` };
  return undefined;
}
