import { decodeBase64 } from '../json/base64.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import { sameBytes } from '../json/hex.ts';
import { KEY_ID_BYTES, keyIdInput } from './checkpoint.ts';
import type { Primitives } from './primitives.ts';

const ROOT_BYTES = 32;
const SIGNATURE_BYTES = 64;
// C2SP signed-note: a verifier must accept 16 lines and should have a limit.
const MAX_SIGNATURES = 100;
// No control character but LF.
const CONTROL = /[^\P{Cc}\n]/u;

/** Content of a valid checkpoint. */
export interface Checkpoint {
  readonly size: number;
  readonly root: Uint8Array;
}

interface SignatureLine {
  readonly name: string;
  readonly id: Uint8Array;
  readonly signature: Uint8Array;
}

interface Note {
  /** The signed text, with its final newline. */
  readonly text: string;
  readonly signatures: readonly SignatureLine[];
}

function parseLine(line: string): SignatureLine | undefined {
  const match = /^— ([^\s+]+) (\S+)$/u.exec(line);
  const bytes = decodeBase64(match?.[2] ?? '');
  if (match === null || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined;
  return { name: match[1] ?? '', id: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
}

function parseNote(note: string): Note | undefined {
  const cut = note.lastIndexOf('\n\n');
  if (cut < 0 || !note.endsWith('\n') || CONTROL.test(note)) return undefined;
  const lines = note
    .slice(cut + 2, -1)
    .split('\n')
    .map(parseLine);
  const signatures = lines.filter((line) => line !== undefined);
  const whole = signatures.length === lines.length && lines.length <= MAX_SIGNATURES;
  return whole ? { text: note.slice(0, cut + 1), signatures } : undefined;
}

function parseSize(text: string | undefined): number | undefined {
  if (text === undefined || !/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

/** Parses origin, size and root. Further lines are allowed, empty lines are not (C2SP tlog-checkpoint). */
function parseText(text: string, origin: string): Checkpoint | undefined {
  const lines = text.slice(0, -1).split('\n');
  const size = parseSize(lines[1]);
  const root = decodeBase64(lines[2] ?? '');
  if (lines[0] !== origin || lines.includes('') || size === undefined || root?.length !== ROOT_BYTES) return undefined;
  return { size, root };
}

/** Signature lines with the name and key id of one known key. */
async function linesOf(
  note: Note,
  origin: string,
  key: Uint8Array,
  { sha256 }: Primitives,
): Promise<readonly SignatureLine[]> {
  const id = (await sha256(keyIdInput(origin, key))).subarray(0, KEY_ID_BYTES);
  return note.signatures.filter((line) => line.name === origin && sameBytes(line.id, id));
}

/** At least one line of a known key must verify, and no line of a known key may fail. */
async function verifyNote(
  note: Note,
  origin: string,
  keys: readonly Uint8Array[],
  primitives: Primitives,
): Promise<boolean> {
  const message = encodeUtf8(note.text);
  let good = 0;
  for (const key of keys) {
    for (const { signature } of await linesOf(note, origin, key, primitives)) {
      const fits = signature.length === SIGNATURE_BYTES && (await primitives.ed25519Verify(key, signature, message));
      if (!fits) return false;
      good += 1;
    }
  }
  return good > 0;
}

/**
 * Opens a signed checkpoint (trust.md §2.2). Never throws.
 * @param keys public log keys, 32 bytes each
 * @returns undefined when the note is malformed, has another origin, or is not signed by a known key
 */
export async function openCheckpoint(
  note: string,
  origin: string,
  keys: readonly Uint8Array[],
  primitives: Primitives,
): Promise<Checkpoint | undefined> {
  const parsed = parseNote(note);
  const checkpoint = parsed === undefined ? undefined : parseText(parsed.text, origin);
  if (parsed === undefined || checkpoint === undefined) return undefined;
  return (await verifyNote(parsed, origin, keys, primitives)) ? checkpoint : undefined;
}
