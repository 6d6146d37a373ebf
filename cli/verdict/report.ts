import type { Credential } from '../../core/certificate/credential.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import type { Root } from '../../core/verify/keys.ts';
import type { CheckName, CheckOutcome, Verification, VerifyCode } from '../../core/verify/verdict.ts';
import { printable, table } from '../io/output.ts';
import { swapLine, swapText } from './swap-text.ts';

/** A verification, and the trusted keys that it relies on. */
export interface Report {
  readonly verification: Verification;
  readonly keys: { readonly document: KeysDocument; readonly root: Root } | undefined;
  /** What the user can do about it. */
  readonly next: readonly string[];
}

const MEANINGS: Readonly<Record<VerifyCode, string>> = {
  ok: '',
  malformed: 'it is no bundle or receipt, or was damaged',
  unknown_root: 'no pinned root signed the keys document',
  keys_invalid: 'the keys document is damaged or not as it must be',
  wrong_type: 'it is signed, but as something else than a receipt',
  unsupported_alg: 'it is not signed by Ed25519',
  embedded_key: 'it brings its own key, which proves nothing',
  unsupported_header: 'its header has a member that is not known',
  unknown_key: 'its key is no receipt key of the keys document',
  signature: 'the signature does not fit: it was changed after signing',
  payload: 'its content is no JSON object',
  profile: 'its content breaks the rules of signed JSON',
  not_canonical: 'its content is not in canonical form',
  schema: 'its content is no receipt of a known version',
  issuer: 'it names another issuer than its keys document',
  score_mismatch: 'trust score or risk level do not follow from its checks',
  decision_mismatch: 'the swap does not follow from its evidence',
  input: 'the input is not the one of this run',
  output: 'the output is not the one of this run',
  not_in_log: 'no proof that it is in the public log; --allow-unlogged does without',
  inclusion: 'the proof does not show it in the log',
  checkpoint: 'the checkpoint is not signed by a log key of the issuer',
  key_window: 'it was issued when its key was not in use',
  key_revoked: 'its key was revoked, and nothing proves that it is older',
  too_old: 'it is older than --max-age',
  badge_mismatch: 'the image is not what its certificate looks like: it was changed',
  badge_unknown: 'the image was drawn by a program version that is not known here',
  not_certified: 'the image has no certificate',
  expired: 'it has ended',
  not_yet_valid: 'it begins in the future',
  revoked: 'the status list says that it was revoked',
};

/** Where a certificate needs other words than a receipt. */
const CERTIFICATE_MEANINGS: Partial<Readonly<Record<VerifyCode, string>>> = {
  malformed: 'it is no certificate or badge, or was damaged',
  wrong_type: 'it is signed, but as something else than a certificate',
  unknown_key: 'its key is no certificate key of the keys document',
  schema: 'its content is no certificate of a known version',
};

const NAMES: Readonly<Record<CheckName, string>> = {
  bundle: 'bundle is well formed',
  keys: 'keys are signed by the root',
  jws: 'receipt is signed by a key',
  record: 'content is a receipt',
  issuer: 'issuer is the one of the keys',
  score: 'score follows from the checks',
  decision: 'swap follows from its evidence',
  openings: 'input and output fit',
  inclusion: 'log holds the receipt',
  key_window: 'key was in use then',
  key_status: 'key is not revoked',
  age: 'receipt is not too old',
  badge: 'image shows its certificate',
  validity: 'certificate is in force',
  status_list: 'certificate is not revoked',
};

const CERTIFICATE_NAMES: Partial<Readonly<Record<CheckName, string>>> = {
  jws: 'certificate is signed by a key',
  record: 'content is a certificate',
  inclusion: 'log holds the certificate',
};

/** Whether the rows are those of a certificate. */
const isOfCertificate = ({ checks }: Verification): boolean => checks.some(({ id }) => id === 'validity');

const nameOf = (id: CheckName, judged: Verification): string =>
  (isOfCertificate(judged) ? CERTIFICATE_NAMES[id] : undefined) ?? NAMES[id];

/** What the code means; for a fault of the status list, that it is not about the certificate itself. */
function meaningOf(judged: Verification): string {
  const { code, checks } = judged;
  if (code === 'ok') return '';
  if (!isOfCertificate(judged)) return MEANINGS[code];
  const isOfList = code !== 'revoked' && checks.find(({ ok }) => ok === false)?.id === 'status_list';
  if (!isOfList) return CERTIFICATE_MEANINGS[code] ?? MEANINGS[code];
  return code === 'expired' ? 'the status list is too old: take a new one' : 'the status list can not be used';
}

function resultOf({ ok, code }: CheckOutcome): string {
  if (ok === null) return 'not checked';
  return ok ? 'ok' : `FAILED (${code ?? ''})`;
}

function certificateDetail(id: CheckName, { certificate, checks }: Verification): string {
  if (id === 'validity' && certificate !== undefined) return `${certificate.validFrom} to ${certificate.validUntil}`;
  const isUnchecked = checks.some((check) => check.id === id && check.ok === null);
  if (certificate === undefined || !isUnchecked) return '';
  if (id === 'inclusion') return 'it came without a proof';
  return id === 'status_list' ? 'status list: not checked offline; --status-list FILE checks it' : '';
}

function detailOf(id: CheckName, { verification, keys }: Report): string {
  const { log, key } = verification;
  if (id === 'keys' && keys !== undefined)
    return `${printable(keys.document.issuer)}, document ${keys.document.sequence}, root ${keys.root.kid}`;
  if (id === 'inclusion' && log !== undefined)
    return `${printable(log.origin)}, index ${log.index} of ${log.treeSize}; consistent, unwitnessed`;
  if (id === 'key_status' && key !== undefined) return `${key.kid} is ${key.status}`;
  return certificateDetail(id, verification);
}

function certificateText(certificate: Credential): string {
  const { id, tier, tier_status: status, reputation_score: score } = certificate.credentialSubject;
  const orbId = id.replace(/^urn:orb:/, '');
  const risk = status === 'at_risk' ? ' at risk' : '';
  return `: ${tier} ${score}${risk} of ${orbId}, issued ${certificate.validFrom} by ${certificate.issuer}`;
}

function subjectOf({ signed, certificate }: Verification): string {
  if (certificate !== undefined) return certificateText(certificate);
  if (signed === undefined) return '';
  const { receipt_id: id, orb, issued_at: issued, issuer } = signed.record;
  const what = signed.kind === 'run' ? signed.record.execution.outcome : swapLine(signed.record);
  return `: ${id} of ${orb.id}, ${what}, issued ${issued} by ${issuer}`;
}

/** The verdict on one line, with what it means and what the user can do about it. */
export function reportLine({ verification, next }: Report): string {
  const { verdict, code } = verification;
  const why = code === 'ok' ? [] : [`${code}: ${meaningOf(verification)}`];
  return printable([`${verdict}${subjectOf(verification)}`, ...why, ...next].join('; '));
}

/** For an image that is not judged by its certificate alone: what the certificate is worth. */
function aloneText({ code, withoutBadge }: Verification): string {
  if (withoutBadge === undefined || withoutBadge.code === code) return '';
  const why = withoutBadge.code === 'ok' ? '' : ` (${withoutBadge.code})`;
  return `the certificate in it, alone: ${withoutBadge.verdict}${why}\n`;
}

/** The verdict and every check, for people: never only one green tick. */
export function reportText(report: Report): string {
  const { verification, next } = report;
  const { verdict, code, checks, signed, explanation } = verification;
  const swap = signed?.kind === 'swap' ? swapText(signed.record, explanation) : '';
  const why = code === 'ok' ? '' : `${code}: ${meaningOf(verification)}\n${aloneText(verification)}`;
  const rows = checks.map((check) => [
    `  ${nameOf(check.id, verification)}`,
    resultOf(check),
    detailOf(check.id, report),
  ]);
  return `${printable(`${verdict}${subjectOf(verification)}`)}\n${why}${next.map((line) => `${line}\n`).join('')}${table(rows)}${swap}`;
}

/** The result of `--explain`; absent when it was not requested, or does not apply. */
function explanationOf({ explanation }: Verification): { readonly explanation?: JsonValue } {
  if (explanation === undefined) return {};
  const { kind } = explanation;
  return {
    explanation:
      kind === 'no-evidence' ? { follows: null, why: kind } : { follows: explanation.follows, why: explanation.why },
  };
}

/** Only for certificates: its content, and for a badge its verdict without the image. */
function certificateOf(judged: Verification): JsonObject {
  if (!isOfCertificate(judged)) return {};
  const { certificate, withoutBadge } = judged;
  return {
    certificate: certificate ?? null,
    ...(withoutBadge === undefined ? {} : { certificate_alone: { ...withoutBadge } }),
  };
}

/** The report for machines, with the whole record. */
export function reportValue({ verification, keys }: Report): JsonObject {
  const { verdict, code, exit, checks, signatureValid, signed, key, log } = verification;
  return {
    verdict,
    code,
    exit,
    signature_valid: signatureValid,
    checks: checks.map((check) => ({ ...check })),
    key: key === undefined ? null : { ...key },
    log: log === undefined ? null : { origin: log.origin, index: log.index, tree_size: log.treeSize, witnessed: false },
    keys:
      keys === undefined
        ? null
        : { issuer: keys.document.issuer, sequence: keys.document.sequence, root: keys.root.kid },
    record: signed?.record ?? null,
    ...explanationOf(verification),
    ...certificateOf(verification),
  };
}
