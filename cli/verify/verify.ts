import { extname } from 'node:path';
import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Verification } from '../../core/verify/verdict.ts';
import { verifyReceipt, type VerifySubject, type VerifyOptions } from '../../core/verify/verify.ts';
import type { Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { jsonText } from '../io/output.ts';
import { readInput, readText } from '../io/read-file.ts';
import { readDocument, readKeysFile, type Document } from '../verdict/document.ts';
import {
  isCertificate,
  judgeDocument,
  keysJwsOf,
  malformedReport,
  refuseFlags,
  type Judging,
  type KeyedDocument,
} from '../verdict/judge-document.ts';
import { openingsFor, readDisclosed, type DisclosedFields } from './openings.ts';
import { printsJson } from '../verdict/prints-json.ts';
import { newerKeys, rememberKeys } from '../verdict/remember-keys.ts';
import { reportText, reportValue, type Report } from '../verdict/report.ts';
import { maxAgeOf, replaySwaps, statusListOf, trustAnchorsOf } from '../verdict/settings.ts';
import { trustKeys, type TrustAnchors, type TrustedKeys } from '../verdict/trusted-keys.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/** With openings the receipt is verified twice: only its signed record says in which form the values were committed. */
async function judgeReceipt(
  subject: VerifySubject,
  options: VerifyOptions,
  disclosed: DisclosedFields,
  io: Io,
): Promise<Verification> {
  const primitives = { sha256, ed25519Verify, now: io.clock.now };
  const first = await verifyReceipt(subject, options, primitives);
  const { signed } = first;
  if (signed === undefined || (disclosed.input === undefined && disclosed.output === undefined)) return first;
  if (signed.kind === 'swap') throw usage('a swap has neither input nor output: leave --input and --output out');
  return verifyReceipt(subject, { ...options, openings: openingsFor(disclosed, signed.record) }, primitives);
}

async function optionsOf(args: Args): Promise<VerifyOptions> {
  const replay = args.has('explain') ? { replay: await replaySwaps() } : {};
  return { ...maxAgeOf(args), ...replay, allowUnlogged: args.has('allow-unlogged') };
}

/** A file of several documents is no document, and each of them may be good. */
function severalLines(bytes: Uint8Array): readonly string[] {
  const end = bytes.indexOf(0x0a);
  const isSeveral =
    end !== -1 && end < bytes.length - 1 && readDocument(bytes.subarray(0, end), '').kind !== 'malformed';
  return isSeveral ? ['its first line alone is a bundle or a receipt: --lines verifies every line'] : [];
}

/** One call of the verb. */
interface Call {
  readonly args: Args;
  readonly io: Io;
  readonly believed: TrustAnchors;
}

async function judgeWith(document: KeyedDocument, judge: Judging['verify'], call: Call): Promise<Report> {
  const { args, io, believed } = call;
  refuseFlags(document, (name) => args.has(name));
  const file = args.one('keys');
  const named = file === undefined ? undefined : readKeysFile(await readText(file, MAX_BYTES, io));
  const keysOf = async (jws: string): Promise<TrustedKeys> => {
    const keys = await trustKeys(jws, believed);
    const newer = newerKeys(keys, believed);
    if (newer !== undefined) await rememberKeys(newer, io);
    return keys;
  };
  return judgeDocument(document, keysJwsOf(document, named), { keysOf, verify: judge });
}

/** What is about certificates is loaded only for one of them: receipts need none of it. */
async function verifyCertificateFile(file: Exclude<Document, { kind: 'malformed' }>, call: Call): Promise<Report> {
  const { args, io } = call;
  const { certificateIn, judgeCertificate } = await import('../verdict/judge-certificate.ts');
  const found = certificateIn(file);
  if ('report' in found) return found.report;
  const settings = {
    allowUnlogged: args.has('allow-unlogged'),
    statusList: await statusListOf(args, io),
    now: io.clock.now,
  };
  return judgeWith(found.document, (subject) => judgeCertificate(subject, found, settings), call);
}

async function verify(path: string, args: Args, io: Io): Promise<Report> {
  const options = await optionsOf(args);
  const disclosed = await readDisclosed(args, io);
  const call = { args, io, believed: await trustAnchorsOf(args, io) };
  const bytes = await readInput(path, MAX_BYTES, io);
  const document = readDocument(bytes, path);
  if (document.kind === 'malformed') return malformedReport(severalLines(bytes));
  if (document.kind === 'svg' || isCertificate(document)) return verifyCertificateFile(document, call);
  return judgeWith(document, (subject) => judgeReceipt(subject, options, disclosed, io), call);
}

async function verifyOne(path: string, args: Args, io: Io): Promise<number> {
  const report = await verify(path, args, io);
  io.out(printsJson(args) ? `${jsonText(reportValue(report))}\n` : reportText(report));
  return report.verification.exit;
}

const LINES = new Set(['.jsonl', '.ndjson']);

export const verifyVerb: Verb = {
  usage: 'BUNDLE.json|RECEIPT.jws|CERTIFICATE.jwt|BADGE.svg|LINES.jsonl|-',
  count: [1, 1],
  flags: [
    { name: 'keys', value: 'FILE', text: 'keys document to verify with; required for anything without bundle' },
    { name: 'root', value: 'JWK', text: 'root key, or a file with it, instead of the pinned keys' },
    { name: 'input', value: 'FILE', text: 'the input of the run, to compare with the receipt' },
    {
      name: 'input-salt',
      value: 'SALT',
      valuesBeginWithDash: true,
      text: 'its salt, from openings of the execution result',
    },
    { name: 'output', value: 'FILE', text: 'the output of the run' },
    { name: 'output-salt', value: 'SALT', valuesBeginWithDash: true, text: 'its salt' },
    { name: 'max-age', value: 'S', text: 'maximum age: seconds, or for example 90d' },
    { name: 'allow-unlogged', text: 'accept a receipt without a proof that it is in the log' },
    { name: 'status-list', value: 'FILE', text: 'status list of a certificate as it was served: was it revoked?' },
    { name: 'explain', text: 'repeat the decision of a swap on its evidence, and show the metrics' },
    { name: 'lines', text: 'verify every line of the file as one bundle or receipt; implied by .jsonl and .ndjson' },
    { name: 'threads', value: 'N', text: 'threads for a long file of lines (as many as cores, at most 16)' },
    { name: 'format', short: 'o', value: 'FORMAT', text: 'json: every check, for machines; for lines one object each' },
    { name: 'json', text: 'the same as -o json' },
  ],
  about: `Makes no network call. Exit 0: valid; 1: tampered; 2: can not be decided; 3: valid, but not trusted;
a swap that does not follow from its evidence (--explain) is not trusted.
Pin the root of an issuer first: orb trust add ISSUER --root JWK.

A certificate or badge alone has no proof that it is in the log, so none is asked for; its bundle has one. A badge must look
exactly as its certificate says. Without --status-list a certificate that was revoked passes until its end.

In a file of lines (JSON Lines) each line is a bundle or a receipt. It gives one verdict a line, in the order of the
file, and the counts on standard error. A line that can't be read counts as can not be decided. Exit 1: a line is
tampered; else 2: a line can not be decided; else 3: a line is not trusted; 0: every line is valid.
All lines are judged by the keys documents that were known before; the newest is remembered at the end.`,
  examples: [
    '{orb} receipts get rcpt_01a1f866-0dfa-7001-8000-000000001eef --bundle receipt.json',
    '{orb} verify receipt.json',
    '{orb} verify receipts.jsonl --json',
    '{orb} verify badge.svg --keys orb-keys.json --status-list list.jwt',
    '{orb} verify - --lines',
  ],
  run: async (args, io) => {
    const path = args.positionals[0] ?? '';
    if (!args.has('lines') && !LINES.has(extname(path))) return verifyOne(path, args, io);
    const { verifyLines } = await import('../verify-lines/verify-lines.ts');
    return verifyLines(path, args, io);
  },
};
