import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { isLaterOrigin } from '../../core/merkle/log-origin.ts';
import { parseTlogProof } from '../../core/merkle/tlog-proof.ts';
import { verification } from '../../core/verify/rows.ts';
import type { Verification } from '../../core/verify/verdict.ts';
import { verifyReceipt, type VerifySubject, type VerifyOptions } from '../../core/verify/verify.ts';
import { parseDuration } from '../../core/time/duration.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { jsonText, printable } from '../io/output.ts';
import { readInput, readText } from '../io/read-file.ts';
import { readRoot } from '../trust/root-key.ts';
import { readPins, rememberSequence } from '../trust/trust-store.ts';
import { readDocument, readKeysFile, type Document } from './document.ts';
import { openingsFor, readDisclosed, type DisclosedFields } from './openings.ts';
import { reportText, reportValue, type Report } from './report.ts';
import { trustKeys, type TrustAnchors, type TrustedKeys } from './trusted-keys.ts';

/**
 * What to do about a proof from an earlier log of the same platform. The checkpoint of that log no longer counts:
 * offline it can't be known which of its entries the new log still has.
 */
function abandonedLogLines({ proof, document }: VerifySubject): readonly string[] {
  const [origin = ''] = (parseTlogProof(proof ?? '')?.checkpoint ?? '').split('\n');
  if (!isLaterOrigin(document.log_origin, origin)) return [];
  return [
    `its proof is of the log ${origin}, which was given up for ${document.log_origin}`,
    'orb receipts get ID --bundle FILE fetches its proof in the new log, if the receipt was not lost with the old log',
  ];
}

const MAX_BYTES = 64 * 1024 * 1024;

function maxAgeOf(args: Args): Pick<VerifyOptions, 'maxAgeMs'> {
  const text = args.one('max-age');
  if (text === undefined) return {};
  const maxAgeMs = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (maxAgeMs === undefined) throw usage(`--max-age ${printable(text)}: seconds, or a duration such as 90d`);
  return { maxAgeMs };
}

/** Passed in here, because the verifier itself does not know how swaps are decided; loaded only for `--explain`. */
async function replayOf(args: Args): Promise<Pick<VerifyOptions, 'replay'>> {
  if (!args.has('explain')) return {};
  const { replayEvidence } = await import('../../core/failover/replay-evidence.ts');
  return { replay: ({ evidence, swap }) => replayEvidence(evidence, swap) };
}

async function trustAnchorsOf(args: Args, io: Io): Promise<TrustAnchors> {
  const text = args.one('root');
  return text === undefined
    ? { kind: 'pins', pins: await readPins(io) }
    : { kind: 'root', root: await readRoot(text, io) };
}

/** The keys document to verify with: that of `--keys`, else that of the bundle. @throws Failure neither exists */
async function keysJwsOf(document: Exclude<Document, { kind: 'malformed' }>, args: Args, io: Io): Promise<string> {
  const file = args.one('keys');
  if (file !== undefined) return readKeysFile(await readText(file, MAX_BYTES, io));
  if (document.kind === 'bundle') return document.keysJws;
  throw usage('a receipt alone needs --keys FILE: the keys document, from /.well-known/orb-keys.json');
}

async function remember(keys: TrustedKeys & { kind: 'trusted' }, believed: TrustAnchors, io: Io): Promise<void> {
  const { document, root } = keys;
  if (believed.kind !== 'pins' || (believed.pins.get(document.issuer)?.sequence ?? 0) >= document.sequence) return;
  try {
    await rememberSequence(io, document.issuer, root, document.sequence);
  } catch (error) {
    // The verdict is valid without it; only a later rollback of the keys would not be noticed.
    io.err(`can't remember keys document ${document.sequence}: ${printable(errorCode(error) ?? String(error))}\n`);
  }
}

/** With openings the receipt is verified twice: only its signed record says in which form the values were committed. */
async function judge(
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

const withRows = (judged: Verification, isBundle: boolean): Verification => ({
  ...judged,
  checks: judged.checks.map((check) =>
    check.id === 'keys' || (check.id === 'bundle' && isBundle) ? { id: check.id, ok: true } : check,
  ),
});

async function verify(args: Args, io: Io): Promise<Report> {
  const path = args.positionals[0] ?? '';
  const options = { ...maxAgeOf(args), ...(await replayOf(args)), allowUnlogged: args.has('allow-unlogged') };
  const disclosed = await readDisclosed(args, io);
  const believed = await trustAnchorsOf(args, io);
  const document = readDocument(await readInput(path, MAX_BYTES, io), path);
  if (document.kind === 'malformed')
    return { verification: verification({ bundle: 'malformed' }, {}), keys: undefined, next: [] };
  const keys = await trustKeys(await keysJwsOf(document, args, io), believed);
  const isBundle = document.kind === 'bundle';
  if (keys.kind === 'refused') {
    const rows = { ...(isBundle ? { bundle: 'pass' as const } : {}), keys: keys.code };
    return { verification: verification(rows, {}), keys: undefined, next: keys.next };
  }
  await remember(keys, believed, io);
  const subject = { jws: document.jws, proof: isBundle ? document.proof : null, document: keys.document };
  const judged = await judge(subject, options, disclosed, io);
  const next = judged.code === 'checkpoint' ? abandonedLogLines(subject) : [];
  return { verification: withRows(judged, isBundle), keys, next };
}

export const verifyVerb: Verb = {
  usage: 'BUNDLE.json|RECEIPT.jws|-',
  count: [1, 1],
  flags: [
    { name: 'keys', value: 'FILE', text: 'keys document to verify with; required for a receipt without bundle' },
    { name: 'root', value: 'JWK', text: 'root key, or a file with it, instead of the pinned keys' },
    { name: 'input', value: 'FILE', text: 'the input of the run, to compare with the receipt' },
    { name: 'input-salt', value: 'SALT', text: 'its salt, from openings of the execution result' },
    { name: 'output', value: 'FILE', text: 'the output of the run' },
    { name: 'output-salt', value: 'SALT', text: 'its salt' },
    { name: 'max-age', value: 'S', text: 'maximum age: seconds, or for example 90d' },
    { name: 'allow-unlogged', text: 'accept a receipt without a proof that it is in the log' },
    { name: 'explain', text: 'repeat the decision of a swap on its evidence, and show the metrics' },
    { name: 'json', text: 'print every check, for machines' },
  ],
  about:
    'Makes no network call. Exit 0: valid; 1: tampered; 2: can not be decided; 3: valid, but not trusted;\na swap that does not follow from its evidence (--explain) is not trusted.\nPin the root of an issuer first: orb trust add ISSUER --root JWK.',
  examples: [
    '{orb} receipts get rcpt_01a1f866-0dfa-7001-8000-000000001eef --bundle receipt.json',
    '{orb} verify receipt.json',
  ],
  run: async (args, io) => {
    const report = await verify(args, io);
    io.out(args.has('json') ? `${jsonText(reportValue(report))}\n` : reportText(report));
    return report.verification.exit;
  },
};
