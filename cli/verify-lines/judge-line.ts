import { repeatedVerify } from '../../adapters/keys/repeated-verify.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import { verifyReceipt, type VerifyOptions } from '../../core/verify/verify.ts';
import { readDocument, type Document } from '../verdict/document.ts';
import {
  isCertificate,
  judgeDocument,
  keysJwsOf,
  malformedReport,
  refuseFlags,
  type Judging,
} from '../verdict/judge-document.ts';
import type { Report } from '../verdict/report.ts';
import { replaySwaps } from '../verdict/settings.ts';
import { trustKeys, type TrustAnchors, type TrustedKeys } from '../verdict/trusted-keys.ts';
import { MAX_LINE_BYTES } from './line-batches.ts';

/** What all lines of a file are judged by. It can be sent to a thread. */
export interface LineSettings {
  readonly believed: TrustAnchors;
  /** The keys document of `--keys`, signed. */
  readonly keysJws: string | undefined;
  readonly allowUnlogged: boolean;
  /** The status list of `--status-list`, for certificates. */
  readonly statusList: string | undefined;
  readonly maxAgeMs: number | undefined;
  readonly explain: boolean;
  /** The time of all verdicts, ms since the epoch. */
  readonly now: number;
}

/** The result for one line: a report, or the reason why the line could not be verified. */
export type JudgedLine =
  | { readonly kind: 'judged'; readonly report: Report }
  | { readonly kind: 'unjudged'; readonly why: string };

/** Keys documents that are kept, at most 1 MiB each. */
const MAX_KEYS_DOCUMENTS = 32;

/** Opens each keys document once. The whole text is the key, so a changed document is always opened anew. */
function openOnce(
  believed: TrustAnchors,
  onOpened: (keys: TrustedKeys) => void,
): (jws: string) => Promise<TrustedKeys> {
  const opened = new Map<string, TrustedKeys>();
  return async (jws) => {
    const known = opened.get(jws);
    if (known !== undefined) return known;
    const keys = await trustKeys(jws, believed);
    const [oldest] = opened.size < MAX_KEYS_DOCUMENTS ? [] : opened.keys();
    if (oldest !== undefined) opened.delete(oldest);
    opened.set(jws, keys);
    onOpened(keys);
    return keys;
  };
}

async function optionsOf({ allowUnlogged, maxAgeMs, explain }: LineSettings): Promise<VerifyOptions> {
  const replay = explain ? { replay: await replaySwaps() } : {};
  return { allowUnlogged, ...(maxAgeMs === undefined ? {} : { maxAgeMs }), ...replay };
}

/** Which of the flags were given that are about one kind of document only. */
const hasFlag =
  ({ maxAgeMs, explain, statusList }: LineSettings) =>
  (flag: string): boolean =>
    (flag === 'max-age' && maxAgeMs !== undefined) ||
    (flag === 'explain' && explain) ||
    (flag === 'status-list' && statusList !== undefined);

/**
 * Makes what judges the lines of a file, each as if it were a file of its own.
 * @param onKeys gets each keys document that was opened
 */
export async function lineJudge(
  settings: LineSettings,
  onKeys: (keys: TrustedKeys) => void,
): Promise<(line: Uint8Array) => Promise<JudgedLine>> {
  const options = await optionsOf(settings);
  const primitives = { sha256, ed25519Verify: repeatedVerify(), now: () => settings.now };
  const keysOf = openOnce(settings.believed, onKeys);
  const ofReceipt: Judging = { keysOf, verify: (subject) => verifyReceipt(subject, options, primitives) };
  async function reportOnCertificate(file: Exclude<Document, { kind: 'malformed' }>): Promise<Report> {
    const { certificateIn, judgeCertificate } = await import('../verdict/judge-certificate.ts');
    const found = certificateIn(file);
    if ('report' in found) return found.report;
    refuseFlags(found.document, hasFlag(settings));
    const { allowUnlogged, statusList, keysJws } = settings;
    const shared = { allowUnlogged, statusList, now: primitives.now };
    const verify: Judging['verify'] = (subject) => judgeCertificate(subject, found, shared);
    return judgeDocument(found.document, keysJwsOf(found.document, keysJws), { keysOf, verify });
  }
  async function reportOn(line: Uint8Array): Promise<Report> {
    if (line.length > MAX_LINE_BYTES) return malformedReport([`it is longer than ${MAX_LINE_BYTES} bytes`]);
    // The name of the file says nothing about a line.
    const document = readDocument(line, '');
    if (document.kind === 'malformed') return malformedReport([]);
    if (document.kind === 'svg' || isCertificate(document)) return reportOnCertificate(document);
    refuseFlags(document, hasFlag(settings));
    return judgeDocument(document, keysJwsOf(document, settings.keysJws), ofReceipt);
  }
  return async (line) => {
    try {
      return { kind: 'judged', report: await reportOn(line) };
    } catch (error) {
      return { kind: 'unjudged', why: error instanceof Error ? error.message : String(error) };
    }
  };
}
