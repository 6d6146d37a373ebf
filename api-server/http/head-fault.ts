import type { IncomingMessage } from 'node:http';
import type { ProblemCode } from './problems.ts';

/** Why a request is refused by its head alone. */
export interface HeadFault {
  readonly code: Extract<ProblemCode, 'malformed-request' | 'headers-too-large' | 'expectation-failed'>;
  readonly detail: string;
}

const malformed = (detail: string): HeadFault => ({ code: 'malformed-request', detail });

/** RFC 3986 §3.2.2 with a port, without user and without percent-encoding. Empty: the target has no authority. */
const HOST = /^(?:[A-Za-z0-9._~!$&'()*+;=-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{0,5})?$/;

const HOST_LENGTH = 'host'.length;
const AUTHORIZATION_LENGTH = 'authorization'.length;

/** How often Host and Authorization were sent. Node keeps the first of each and drops the others. */
function timesSent({ rawHeaders }: IncomingMessage): { readonly host: number; readonly authorization: number } {
  let host = 0;
  let authorization = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // The length first: most names are compared no further.
    if (name.length === HOST_LENGTH && name.toLowerCase() === 'host') host += 1;
    else if (name.length === AUTHORIZATION_LENGTH && name.toLowerCase() === 'authorization') authorization += 1;
  }
  return { host, authorization };
}

/** Another coding than chunked would be read as if it were plain, and HTTP/1.0 has none (RFC 9112 §6.1). */
const isUnknownCoding = ({ headers, httpVersionMinor }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined &&
  (httpVersionMinor === 0 || headers['transfer-encoding'].toLowerCase() !== 'chunked');

/** A message that two programs may read in two ways. */
function messageFault(request: IncomingMessage): HeadFault | undefined {
  const { host, authorization } = timesSent(request);
  if (host > 1) return malformed('The request has two Host headers.');
  if (host === 0 && request.httpVersionMinor > 0) return malformed('The request has no Host header.');
  if (!HOST.test(request.headers.host ?? '')) return malformed('The Host header is no host with an optional port.');
  if (authorization > 1) return malformed('The request has two Authorization headers.');
  return isUnknownCoding(request)
    ? malformed('The only Transfer-Encoding is chunked, and only in HTTP/1.1.')
    : undefined;
}

/** HTTP/1.0 has no expectations (RFC 9110 §10.1.1). */
function expectationFault({ headers, httpVersionMinor }: IncomingMessage): HeadFault | undefined {
  if (headers.expect === undefined || httpVersionMinor === 0) return undefined;
  if (headers.expect.toLowerCase() === '100-continue') return undefined;
  return { code: 'expectation-failed', detail: 'The only expectation is 100-continue.' };
}

/**
 * Judges the head of a request by RFC 9110 and RFC 9112, as far as the parser does not. A request that two programs may
 * read in two ways is refused: a proxy before this process may have judged the other one.
 * @param mostHeaders the parser silently drops headers above a count of its own, so they are counted here
 */
export function headFault(request: IncomingMessage, mostHeaders: number): HeadFault | undefined {
  if (request.rawHeaders.length > 2 * mostHeaders) {
    return { code: 'headers-too-large', detail: `At most ${mostHeaders} headers (--max-headers).` };
  }
  return messageFault(request) ?? expectationFault(request);
}
