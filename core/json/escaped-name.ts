// The last escape of a string, then its end and a colon: the colon shows that the string is a name.
const ESCAPED_NAME = /\\[^][^"\\]*"[ \t\n\r]*:/;

/**
 * Whether JSON text may spell the name of a member with an escape; also true for some text inside strings.
 * V8's `JSON.parse` (Node 24 and 26) confuses such a name with another one that it read in the same place before.
 * Example: after `{"a":1,"\\":2}` anywhere in the process, `{"a":1,"\n":2}` is read with the name `\`
 * (nodejs/node #63785). So such text from outside goes to our own reader, and never to `JSON.parse`.
 * Linear in the length of the text.
 */
export const mayEscapeNames = (text: string): boolean => text.includes('\\') && ESCAPED_NAME.test(text);
