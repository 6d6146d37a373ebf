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
};

function resultOf({ ok, code }: CheckOutcome): string {
  if (ok === null) return 'not checked';
  return ok ? 'ok' : `FAILED (${code ?? ''})`;
}

function detailOf(id: CheckName, { verification, keys }: Report): string {
  const { log, key } = verification;
  if (id === 'keys' && keys !== undefined)
    return `${printable(keys.document.issuer)}, document ${keys.document.sequence}, root ${keys.root.kid}`;
  if (id === 'inclusion' && log !== undefined)
    return `${printable(log.origin)}, index ${log.index} of ${log.treeSize}; consistent, unwitnessed`;
  return id === 'key_status' && key !== undefined ? `${key.kid} is ${key.status}` : '';
}

function subjectOf({ signed }: Verification): string {
  if (signed === undefined) return '';
  const { receipt_id: id, orb, issued_at: issued, issuer } = signed.record;
  const what = signed.kind === 'run' ? signed.record.execution.outcome : swapLine(signed.record);
  return `: ${id} of ${orb.id}, ${what}, issued ${issued} by ${issuer}`;
}

/** The verdict on one line, with what it means and what the user can do about it. */
export function reportLine({ verification, next }: Report): string {
  const { verdict, code } = verification;
  const why = code === 'ok' ? [] : [`${code}: ${MEANINGS[code]}`];
  return printable([`${verdict}${subjectOf(verification)}`, ...why, ...next].join('; '));
}

/** The verdict and every check, for people: never only one green tick. */
export function reportText(report: Report): string {
  const { verification, next } = report;
  const { verdict, code, checks, signed, explanation } = verification;
  const swap = signed?.kind === 'swap' ? swapText(signed.record, explanation) : '';
  const why = code === 'ok' ? '' : `${code}: ${MEANINGS[code]}\n`;
  const rows = checks.map((check) => [`  ${NAMES[check.id]}`, resultOf(check), detailOf(check.id, report)]);
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
  };
}
