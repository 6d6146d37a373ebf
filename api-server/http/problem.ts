import type { LedgerError } from '../../adapters/ledger/port.ts';
import type { ProblemOptions } from './problem-options.ts';
import type { Problem } from '../problems/problem-part.ts';
import { problems, type ProblemCode } from './problems.ts';
import type { Reply } from './route.ts';

/** The code for an error of the ledger. */
export const ledgerCode = ({ code }: LedgerError): 'ledger-forked' | 'ledger-unavailable' =>
  code === 'ledger-forked' ? code : 'ledger-unavailable';

/** Answer of RFC 9457 for a code of the table. */
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
    detail: options.detail,
    next: options.next ?? row.next,
    request_id: request.requestId,
    errors: options.errors,
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
