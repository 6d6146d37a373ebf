import type { LedgerError } from '../../adapters/ledger/port.ts';
import { printedPointer } from '../../core/manifest/child-pointer.ts';
import { shownText } from '../../core/manifest/shown-text.ts';
import type { ProblemError, ProblemOptions } from './problem-options.ts';
import type { Problem } from '../problems/problem-part.ts';
import { problems, type ProblemCode } from './problems.ts';
import type { Reply } from './route.ts';

/** The code for an error of the ledger. */
export const ledgerCode = ({ code }: LedgerError): 'ledger-forked' | 'ledger-unavailable' =>
  code === 'ledger-forked' ? code : 'ledger-unavailable';

const MAX_ERRORS = 100;
const MAX_DETAIL = 2048;

/** Names in a body are the caller's text: an answer never repeats a long one, nor characters that a terminal obeys. */
function shownError({ pointer, detail, ...rest }: ProblemError): ProblemError {
  const place = pointer === undefined ? {} : { pointer: printedPointer(pointer) };
  return { ...place, ...rest, detail: shownText(detail, MAX_DETAIL) };
}

/** Answer of RFC 9457 for a code of the table. It has at most 100 errors. */
export function problem(
  request: { readonly requestId: string },
  code: ProblemCode,
  options: ProblemOptions = {},
): Reply {
  const row: Problem = problems[code];
  const wait = options.headers?.['retry-after'] ?? row.retryAfter;
  const body = {
    type: `https://orbs.dev/problems/${code}`,
    title: row.title,
    status: row.status,
    code,
    detail: options.detail === undefined ? undefined : shownText(options.detail, MAX_DETAIL),
    next: options.next ?? row.next,
    request_id: request.requestId,
    errors: options.errors?.slice(0, MAX_ERRORS).map(shownError),
    retry_after_s: wait === undefined ? undefined : Number(wait),
    ...options.extensions,
  };
  // RFC 9110 §11.6.1: every 401 says how to authenticate.
  const challenge = row.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  const retry = row.retryAfter === undefined ? {} : { 'retry-after': String(row.retryAfter) };
  return {
    status: row.status,
    headers: { 'content-type': 'application/problem+json', ...challenge, ...retry, ...options.headers },
    body: JSON.stringify(body),
  };
}
