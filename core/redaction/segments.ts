import { withoutNewline } from './forms.ts';

/** What a template may take for the rest of a path (security.md §4.1), with a slash in it. */
const PATH = /^[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)+$/;
/** A shorter segment would blank everything; it is still redacted with the whole value. */
const MIN_BYTES = 8;

/**
 * The segments of a value that has the form of a path: a provider may answer with one of them alone.
 * @returns none for a value of another form, such as most base64
 */
export function segmentsOf(value: Uint8Array): readonly Uint8Array[] {
  const bytes = withoutNewline(value);
  const text = Buffer.from(bytes).toString('latin1');
  if (!PATH.test(text)) return [];
  const long = text.split('/').filter((segment) => segment.length >= MIN_BYTES);
  return [...new Set(long)].map((segment) => new TextEncoder().encode(segment));
}
