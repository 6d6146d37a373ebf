import { decodeBase64, encodeBase64 } from '../json/base64.ts';

/** An offline proof of one entry (C2SP tlog-proof; trust.md §2.2). It is parsed but not verified. */
export interface TlogProof {
  readonly index: number;
  /** Sibling hashes from the leaf up, 32 bytes each, at most 63. */
  readonly hashes: readonly Uint8Array[];
  /** Signed note. */
  readonly checkpoint: string;
}

const FIRST = 'c2sp.org/tlog-proof@v1';
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const MAX_HASHES = 63;

/** The proof as text, without an `extra` line. */
export const formatTlogProof = ({ index, hashes, checkpoint }: TlogProof): string =>
  [FIRST, `index ${index}`, ...hashes.map(encodeBase64), '', checkpoint].join('\n');

const isExtra = (line: string | undefined): boolean => {
  const data = line?.startsWith('extra ') ? line.slice('extra '.length) : '';
  return data !== '' && decodeBase64(data) !== undefined;
};

/**
 * Parses a proof strictly: each proof has one spelling. Only the `extra` line may vary. It is ignored, because it is
 * not authenticated.
 * @returns undefined when malformed
 */
export function parseTlogProof(text: string): TlogProof | undefined {
  const end = text.indexOf('\n\n');
  if (end === -1) return undefined;
  const [first, ...lines] = text.slice(0, end).split('\n');
  const [indexLine = '', ...encoded] = isExtra(lines[0]) ? lines.slice(1) : lines;
  const index = Number(INDEX.exec(indexLine)?.[1]);
  if (first !== FIRST || !Number.isSafeInteger(index) || encoded.length > MAX_HASHES) return undefined;
  const hashes = encoded.map(decodeBase64).filter((hash) => hash?.length === 32);
  if (hashes.length !== encoded.length) return undefined;
  return { index, hashes: hashes.filter((hash) => hash !== undefined), checkpoint: text.slice(end + 2) };
}
