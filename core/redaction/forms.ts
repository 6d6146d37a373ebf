const LF = 0x0a;
const CR = 0x0d;

/** Characters, beside letters and digits, that the percent encoders of providers may leave unescaped. */
const PERCENT_SAFE = {
  rfc3986: '-._~',
  path: '-._~/',
  component: "-_.!~*'()",
  uri: "-_.!~*'();/?:@&=+$,#",
  form: '*-._',
} as const;

/**
 * JSON encoders differ in the characters that they escape beside the quotes, backslashes and controls of RFC 8259 §7.
 */
const NON_ASCII = /[\u0080-\uffff]/g;
const MARKUP = /[<>&\u2028\u2029]/g;

/** HTML and XML encoders agree on `& < >` and differ on quotes. */
const QUOTES = [
  ['&quot;', '&#39;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
  ['&quot;', "'"],
  ['"', "'"],
] as const;

/** Forms are built as strings with one character per byte, so that a set removes duplicates. */
const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (unit) => unit.charCodeAt(0));

const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const latin1 = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

/**
 * Base64 of `value` after 0, 1 or 2 unknown bytes, without the characters that also hold bits of neighbours:
 * b64(0^k ‖ s)[(0,2,3)[k] … ⌊(k+len)·8/6⌋] (security.md §5).
 */
function base64Forms(value: Uint8Array): readonly string[] {
  return [0, 2, 3].flatMap((from, before) => {
    const padded = new Uint8Array(before + value.length);
    padded.set(value, before);
    const form = btoa(latin1(padded)).slice(from, Math.floor((padded.length * 8) / 6));
    return [form, form.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

function hexForms(value: Uint8Array): readonly string[] {
  const lower = Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [lower, lower.toUpperCase()];
}

function percentForms(value: Uint8Array): readonly string[] {
  const escaped = hexForms(value).map((hex) => (index: number) => `%${hex.slice(2 * index, 2 * index + 2)}`);
  const encode = (safe: string, space: string, escape: (index: number) => string): string =>
    Array.from(value, (byte, index) => {
      const unit = String.fromCharCode(byte);
      if (unit === ' ' && space !== '') return space;
      return /[A-Za-z0-9]/.test(unit) || safe.includes(unit) ? unit : escape(index);
    }).join('');
  const { form, ...others } = PERCENT_SAFE;
  return escaped.flatMap((escape) => [
    ...Object.values(others).map((safe) => encode(safe, '', escape)),
    encode(form, '+', escape),
  ]);
}

const unicodeEscape = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const upperEscape = (unit: string): string =>
  String.raw`\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

function jsonForms(text: string): readonly string[] {
  const plain = JSON.stringify(text).slice(1, -1);
  const spellings = [
    plain,
    plain.replace(NON_ASCII, unicodeEscape),
    plain.replace(NON_ASCII, upperEscape),
    plain.replace(MARKUP, unicodeEscape),
  ];
  return spellings.flatMap((spelling) => [spelling, spelling.replaceAll('/', String.raw`\/`)]);
}

function htmlForms(text: string): readonly string[] {
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return QUOTES.map(([double, single]) => markup.replaceAll('"', double).replaceAll("'", single));
}

/** A shorter value backwards may be an ordinary number or word. */
const LEAST_REVERSED = 12;

const reversedForms = (text: string): readonly string[] =>
  text.length < LEAST_REVERSED ? [] : [Array.from(text).toReversed().join('')];

function formsOf(value: Uint8Array): readonly string[] {
  const text = utf8Text(value);
  const encoded = [latin1(value), ...base64Forms(value), ...hexForms(value), ...percentForms(value)];
  if (text === undefined) return encoded;
  const encoder = new TextEncoder();
  const others = [...jsonForms(text), ...htmlForms(text), ...reversedForms(text)];
  return [...encoded, ...others.map((form) => latin1(encoder.encode(form)))];
}

/** The value without one trailing LF or CR LF. Editors and `echo` add it; providers and this program remove it. */
export function withoutNewline(value: Uint8Array): Uint8Array {
  if (value.at(-1) !== LF) return value;
  return value.subarray(0, value.at(-2) === CR ? -2 : -1);
}

/**
 * Every form in which a value is searched (security.md §5), also without its trailing newline; without duplicates.
 * Where common encoders differ (JSON, HTML, percent), each of their spellings is a form.
 * @param value at least 8 bytes without its newline
 */
export function secretForms(value: Uint8Array): readonly Uint8Array[] {
  const trimmed = withoutNewline(value);
  const forms = trimmed.length === value.length ? formsOf(value) : [...formsOf(value), ...formsOf(trimmed)];
  return [...new Set(forms)].map(bytesOf);
}
