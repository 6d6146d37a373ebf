import { decodeBase64Url } from '../../core/json/base64.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import type { CommitmentRecord, ReceiptRecord } from '../../core/receipt/record.ts';
import type { Opening, Openings } from '../../core/verify/openings.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readInput } from '../io/read-file.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** A disclosed value with its salt; its form depends on the receipt. */
interface Disclosed {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly salt: Uint8Array;
}

type Field = 'input' | 'output';

async function readField(args: Args, field: Field, io: Io): Promise<Disclosed | undefined> {
  const [file, text] = [args.one(field), args.one(`${field}-salt`)];
  if (file === undefined && text === undefined) return undefined;
  if (file === undefined || text === undefined) throw usage(`--${field} FILE and --${field}-salt SALT belong together`);
  const salt = decodeBase64Url(text);
  if (salt === undefined || salt.length === 0) throw invalid(`--${field}-salt: it is base64url, as in openings`);
  return { file, salt, bytes: await readInput(file, MAX_BYTES, io) };
}

export interface DisclosedFields {
  readonly input: Disclosed | undefined;
  readonly output: Disclosed | undefined;
}

/** Reads the files and salts of `--input`, `--input-salt`, `--output`, `--output-salt`. @throws Failure */
export const readDisclosed = async (args: Args, io: Io): Promise<DisclosedFields> => ({
  input: await readField(args, 'input', io),
  output: await readField(args, 'output', io),
});

const isJsonType = (mediaType: string): boolean => /^[a-z0-9.+-]+\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i.test(mediaType);

/** JSON is committed in canonical form, other values byte for byte (trust.md §1.4). @throws Failure it is not JSON */
function openingOf(disclosed: Disclosed, commitment: CommitmentRecord | null): Opening {
  const { salt, bytes, file } = disclosed;
  if (commitment !== null && !isJsonType(commitment.media_type)) return { salt, value: { bytes } };
  const read = readJson(bytes);
  if (!read.ok) throw invalid(`${file}: ${read.findings[0]?.detail ?? 'it is not JSON'}`);
  return { salt, value: { json: read.value } };
}

/** The disclosed values in the form in which the signed record says they were committed. */
export const openingsFor = ({ input, output }: DisclosedFields, record: ReceiptRecord): Openings => ({
  ...(input === undefined ? {} : { input: openingOf(input, record.input) }),
  ...(output === undefined ? {} : { output: openingOf(output, record.output) }),
});
