import { decodeUtf8 } from '../json/bytes.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';

/** A receipt with everything that an outside verifier needs (trust.md §1.6): closed, exactly these members. */
export interface Bundle {
  readonly format: 'orb-bundle/1';
  readonly jws: string;
  /** tlog-proof text; null while the entry is not in the tree. */
  readonly tlog_proof: string | null;
  readonly keys_jws: string;
}

// 170 bundles. Bounds the work on untrusted input; a regular expression has no stack for much longer strings.
const MAX_BYTES = 1_048_576;
const MEMBERS = ['format', 'jws', 'tlog_proof', 'keys_jws'];

// A JSON string. Only its spelling matters here; JSON.parse reads its value.
const STRING = /"(?:[^"\\]|\\.)*"/;
const MEMBER = new RegExp(`^\\s*(${STRING.source})\\s*:\\s*(${STRING.source}|null)\\s*(,|$)`);

/**
 * Whether the text of an object has each of the four members once, with its name spelled plainly. A name that appears
 * twice, or is written with an escape, leaves open which value counts.
 */
function hasMembersOnce(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  const names: string[] = [];
  let rest = text.slice(1, -1);
  while (rest !== '') {
    const match = MEMBER.exec(rest);
    if (match === null || (match[3] === ',' && match[0].length === rest.length)) return false;
    names.push((match[1] ?? '').slice(1, -1));
    rest = rest.slice(match[0].length);
  }
  return names.length === MEMBERS.length && MEMBERS.every((name) => names.includes(name));
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function bundleOf({ format, jws, tlog_proof: proof, keys_jws: keys }: JsonObject): Bundle | undefined {
  if (format !== 'orb-bundle/1' || typeof jws !== 'string' || typeof keys !== 'string') return undefined;
  return proof === null || typeof proof === 'string' ? { format, jws, tlog_proof: proof, keys_jws: keys } : undefined;
}

/**
 * Reads a bundle strictly (trust.md §2.2): UTF-8, a closed object without duplicate keys, nothing after it but one LF,
 * at most 1 MiB.
 * @returns undefined: `malformed`
 */
export function parseBundle(bytes: Uint8Array): Bundle | undefined {
  const whole = bytes.length > MAX_BYTES ? undefined : decodeUtf8(bytes);
  const text = whole?.endsWith('\n') === true ? whole.slice(0, -1) : whole;
  const value = text !== undefined && hasMembersOnce(text) ? parseObject(text) : undefined;
  return value === undefined ? undefined : bundleOf(value);
}

/** The text that is served and stored: JSON with one final LF. */
export const formatBundle = (bundle: Bundle): string => `${JSON.stringify(bundle)}\n`;
