// The last escape of a string, and a colon behind its end: so the string is a name.
const ESCAPED_NAME = /\\[^][^"\\]*"[ \t\n\r]*:/;

/**
 * Whether JSON text may spell the name of a member with an escape; also true for some text inside of strings.
 * V8's `JSON.parse` (Node 24 and 26) takes such a name for another one that it has seen in the same place: after
 * `{"a":1,"\\":2}` anywhere in the process, `{"a":1,"\n":2}` is read with the name `\` (nodejs/node #63785). So text
 * from outside that does it goes to a reader of our own, and never to `JSON.parse`. Linear in the length of the text.
 */
export const mayEscapeNames = (text: string): boolean => text.includes('\\') && ESCAPED_NAME.test(text);
