/** Reasons to refuse a value in a position, with advice. The text never shows the value. */
export const refusals = {
  'missing-input': 'The request needs this input: it has no default.',
  'template-invalid-header-value':
    'A header takes printable ASCII and tab, at most 8 KiB, without a space at either end; change the value.',
  'template-path-traversal':
    'A part of a URL path may not be empty, "." or "..", nor climb with ".."; change the value.',
  'template-invalid-xml-value': 'XML takes no control characters; remove them from the value.',
  'template-invalid-text-value': 'Text takes no NUL character; remove it from the value.',
  'template-invalid-unicode': 'The value holds half of a surrogate pair; send whole characters.',
  'template-invalid-number': 'The value holds a number that JSON can not write; send a finite one.',
  'template-invalid-host-label': 'A label of a host takes a-z, 0-9 and inner hyphens, at most 63 of them.',
  'template-malformed-url': 'The value makes a URL that parsers read in another way; change the value.',
  'template-too-large': 'The filled template is larger than 8 MiB, or its values nest deeper than 128; send less.',
} as const;

export type RefusalCode = keyof typeof refusals;

/** A place in a request that accepts placeholders, with its escaping. */
export interface Position {
  readonly kind:
    | 'host-label'
    | 'path-segment'
    | 'path-rest'
    | 'query-value'
    | 'header-value'
    | 'json-string'
    | 'json-value'
    | 'form'
    | 'xml'
    | 'text';
  /** The reason why this well-formed text is refused here. Except in host labels and in the rest of a path, each character is checked alone. */
  readonly refuse: (text: string) => RefusalCode | undefined;
  /** Escapes well-formed text for this place, each character alone. */
  readonly encode: (text: string) => string;
}

const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Segments of unreserved characters (RFC 3986 §2.3), so nothing is encoded; `.` and `..` would climb. */
const PATH_REST = /^(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)*$/;
const MAX_REST_CHARS = 4096;
const NOT_IN_HEADER = /[^\t\x20-\x7e]/;
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/u;
const XML_SPECIAL = /[&<>"'\t\n\r]/;
const XML_SPECIALS = /[&<>"'\t\n\r]/g;

// Tab and line ends as references: parsers turn plain ones into spaces in attributes, and CR into LF everywhere.
const xmlReference: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const anything = (): undefined => undefined;
const asIs = (text: string): string => text;
const encodeXml = (text: string): string =>
  XML_SPECIAL.test(text) ? text.replace(XML_SPECIALS, (char) => xmlReference[char] ?? '') : text;
// encodeURIComponent keeps these five characters, but RFC 3986 counts them as delimiters.
const encodePercent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether a secret may stand for the rest of a path: `T012/B345/x-y_z`. */
const isPathRest = (text: string): boolean => text.length <= MAX_REST_CHARS && PATH_REST.test(text);

/** Every position of security.md §4.1 that accepts placeholders. */
export const positions = {
  hostLabel: {
    kind: 'host-label',
    refuse: (text) => (HOST_LABEL.test(text) ? undefined : 'template-invalid-host-label'),
    encode: asIs,
  },
  pathSegment: { kind: 'path-segment', refuse: anything, encode: encodePercent },
  pathRest: {
    kind: 'path-rest',
    refuse: (text) => (isPathRest(text) ? undefined : 'template-path-traversal'),
    encode: asIs,
  },
  queryValue: { kind: 'query-value', refuse: anything, encode: encodePercent },
  headerValue: {
    kind: 'header-value',
    refuse: (text) => (NOT_IN_HEADER.test(text) ? 'template-invalid-header-value' : undefined),
    encode: asIs,
  },
  jsonString: { kind: 'json-string', refuse: anything, encode: (text) => JSON.stringify(text).slice(1, -1) },
  // Receives JSON text already, so a value keeps its type.
  jsonValue: { kind: 'json-value', refuse: anything, encode: asIs },
  form: { kind: 'form', refuse: anything, encode: encodePercent },
  xml: {
    kind: 'xml',
    refuse: (text) => (NOT_IN_XML.test(text) ? 'template-invalid-xml-value' : undefined),
    encode: encodeXml,
  },
  text: {
    kind: 'text',
    refuse: (text) => (text.includes('\0') ? 'template-invalid-text-value' : undefined),
    encode: asIs,
  },
} as const satisfies Record<string, Position>;
