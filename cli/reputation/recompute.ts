import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { encodeBase64 } from '../../core/json/base64.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { openCheckpoint, type Checkpoint } from '../../core/merkle/open-checkpoint.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { Recomputation } from '../../core/reputation/recompute.ts';
import { trustedLogKeys } from '../../core/verify/inclusion.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, Failure, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable } from '../io/output.ts';
import { decode, readText } from '../io/read-file.ts';
import { parseJson } from '../trust/root-key.ts';
import { readKeysFile } from '../verdict/document.ts';
import { newerKeys, rememberKeys } from '../verdict/remember-keys.ts';
import { trustAnchorsOf } from '../verdict/settings.ts';
import { trustKeys } from '../verdict/trusted-keys.ts';
import { openLogFiles, type LogFiles } from './log-files.ts';
import { LogReader } from './read-log.ts';
import { computedOver, differences, recomputedText, recomputedValue } from './recompute-report.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** What to recompute. */
interface Wanted {
  readonly orbId: string;
  readonly size: number;
  readonly asOf: string;
  /** The published profile to compare with. */
  readonly expected: JsonObject | undefined;
}

async function readProfile(args: Args, io: Io): Promise<JsonObject | undefined> {
  const file = args.one('expect');
  if (file === undefined) return undefined;
  const value = parseJson(await readText(file, MAX_BYTES, io));
  if (isJsonObject(value)) return value;
  throw invalid(`${file}: it is no profile, as GET /reputation/{orb_id} answers it`);
}

function sizeOf(text: string | undefined, named: number | undefined): number {
  if (text === undefined && named === undefined) throw usage('--at TREE_SIZE says how much of the log counts');
  const size = text === undefined ? named : /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : undefined;
  if (size === undefined || !Number.isSafeInteger(size) || size < 1) {
    throw usage(`--at ${printable(text ?? '')}: a number of entries, such as computed_over.tree_size of a profile`);
  }
  return size;
}

function dayOf(text: string | undefined): string {
  if (text === undefined) throw usage('--as-of DAY says for which day the score is computed');
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usage(`--as-of ${printable(text)}: a day such as 2026-11-20, in UTC`);
}

async function wantedOf(args: Args, io: Io): Promise<Wanted> {
  const expected = await readProfile(args, io);
  const over = computedOver(expected);
  return {
    orbId: orbIdOf(args.positionals[0] ?? ''),
    size: sizeOf(args.one('at'), over.size),
    asOf: dayOf(args.one('as-of') ?? over.asOf),
    expected,
  };
}

async function keysJwsOf(files: LogFiles, args: Args, io: Io): Promise<string> {
  const named = args.one('keys');
  if (named !== undefined) return readKeysFile(await readText(named, MAX_BYTES, io));
  const bytes = await files.readKeys();
  if (bytes !== undefined) return readKeysFile(decode(bytes, 'the keys document'));
  throw usage('the log has no keys document beside it: --keys FILE names it');
}

/** The keys document that a pinned root signed. @throws Failure no pinned root did */
async function keysOf(files: LogFiles, args: Args, io: Io): Promise<KeysDocument> {
  const anchors = await trustAnchorsOf(args, io);
  const keys = await trustKeys(await keysJwsOf(files, args, io), anchors);
  if (keys.kind === 'refused') throw invalid(`the keys document can't be trusted: ${keys.code}`, ...keys.next);
  const newer = newerKeys(keys, anchors);
  if (newer !== undefined) await rememberKeys(newer, io);
  return keys.document;
}

async function checkpointOf(files: LogFiles, document: KeysDocument, size: number): Promise<Checkpoint> {
  const note = await files.read('checkpoint');
  if (note === undefined) throw invalid(`${files.name}: it has no checkpoint, so it is no log`);
  const primitives = { sha256, ed25519Verify };
  const text = decode(note, 'the checkpoint');
  const opened = await openCheckpoint(text, document.log_origin, trustedLogKeys(document), primitives);
  if (opened === undefined) {
    throw new Failure(EXIT.untrusted, `the checkpoint is not signed by a log key of ${document.issuer}`);
  }
  if (opened.size < size) throw invalid(`the checkpoint covers ${opened.size} entries only, not ${size}`);
  return opened;
}

async function recompute(files: LogFiles, args: Args, io: Io): Promise<number> {
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const { orbId, size, asOf, expected } = await wantedOf(args, io);
  const document = await keysOf(files, args, io);
  const checkpoint = await checkpointOf(files, document, size);
  const reader = new LogReader(files);
  const recomputation = new Recomputation(orbId, reader.entryAt);
  const root = await reader.read({ checkpoint, size }, (index, text) => recomputation.fold(index, text), io);
  const result = recomputation.at(size, asOf);
  if (result === undefined) throw invalid(`${orbId} is not published in the first ${size} entries of the log`);
  const changes = recomputation.tierChanges(size);
  const found = { orbId, origin: document.log_origin, size, rootBase64: encodeBase64(root), asOf, result, changes };
  const value = recomputedValue(found);
  io.out(format === 'json' || format === 'yaml' ? await dataText(value, format) : recomputedText(found));
  const different = expected === undefined ? [] : differences(expected, value);
  for (const line of different) io.err(`the profile differs: ${line}\n`);
  return different.length > 0 || changes.some(({ ok }) => !ok) ? EXIT.negative : EXIT.ok;
}

export const recomputeVerb: Verb = {
  usage: 'ORB_ID',
  count: [1, 1],
  flags: [
    {
      name: 'log',
      value: 'URL|DIR',
      text: 'the log: an address such as https://orbs.example, or a folder of its files',
    },
    { name: 'at', value: 'TREE_SIZE', text: 'how many entries count (computed_over.tree_size of the profile)' },
    { name: 'as-of', value: 'DAY', text: 'day of the evaluation, in UTC (computed_over.as_of of the profile)' },
    { name: 'expect', value: 'FILE', text: 'profile to compare with; also names tree and day' },
    { name: 'keys', value: 'FILE', text: 'keys document; else the one beside the log' },
    { name: 'root', value: 'JWK', text: 'root key, or a file with it, instead of the pinned keys' },
    OUTPUT,
  ],
  about: `Reads every entry of the log up to its checkpoint, checks the root and the signature, and computes the score from
the entries alone. It repeats each change of the tier that the log has: the score must be the same, and a promotion
must not go above the tier computed then. How long a tier was held before a change is the platform's own word.
A folder has the files of /log (checkpoint, tile/entries/…) and orb-keys.json.

Exit 0: the score follows from the log, as in FILE; 1: something differs, or the entries are not those of the
checkpoint; 2: it can't be decided; 3: the checkpoint is not signed by the issuer.`,
  examples: [
    '{orb} reputation recompute --log https://orbs.example --at 184467 --as-of 2026-11-20 acme.echo@1.2.0',
    '{orb} reputation recompute --log ./log --expect profile.json acme.echo@1.2.0',
  ],
  run: async (args, io) => {
    const log = args.one('log');
    if (log === undefined) throw usage('--log URL|DIR says where the log is');
    const files = await openLogFiles(log, io);
    try {
      return await recompute(files, args, io);
    } finally {
      files.close();
    }
  },
};
