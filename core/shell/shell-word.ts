const PLAIN = /^[\w./:@-]+$/;

/** A text as one word of a POSIX shell command, quoted only when necessary: `it's` → `'it'\''s'`. */
export const shellWord = (text: string): string =>
  PLAIN.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
