import type { IdempotencyClaim, IdempotencyEntry } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';
import type { Runtime } from '../runtime/runtime.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY = /^[\x21-\x7e]{1,255}$/;

export type ClaimOf =
  | { readonly kind: 'none' }
  | { readonly kind: 'claim'; readonly claim: IdempotencyClaim }
  | { readonly kind: 'malformed' };

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/**
 * The claim of a request with `Idempotency-Key` (security.md S20). It is bound to tenant, path and key.
 * @param path the canonical path, so that both spellings of an address give the same claim
 */
export function claimAt(
  { clock, sha256 }: Pick<Runtime, 'clock' | 'sha256'>,
  request: Pick<RouteRequest, 'header' | 'body'>,
  path: string,
): ClaimOf {
  const key = request.header('idempotency-key');
  if (key === undefined) return { kind: 'none' };
  if (!KEY.test(key)) return { kind: 'malformed' };
  return {
    kind: 'claim',
    claim: { path, key, bodySha256: hex(sha256(request.body)), expiresAt: clock.now() + DAY_MS },
  };
}

/** The answer to a request with a malformed `Idempotency-Key`. */
export const malformedKey = (request: Pick<RouteRequest, 'requestId'>): Reply =>
  problem(request, 'invalid-parameter', {
    errors: [
      {
        header: 'Idempotency-Key',
        code: 'idempotency-key-malformed',
        detail: 'Idempotency-Key is 1 to 255 visible ASCII characters.',
      },
    ],
  });

/**
 * The claim of a run. Calls without an API key have a separate key space, so that they neither use nor see the keys of
 * a tenant.
 */
export function claimOf(
  runtime: Runtime,
  request: RouteRequest,
  { fullName }: Pick<CompiledOrbiset, 'fullName'>,
): ClaimOf {
  const owner = request.caller === undefined ? 'anonymous ' : '';
  return claimAt(runtime, request, `${owner}/orbisets/${fullName}/execute`);
}

interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

function parseAnswer(text: string): StoredAnswer | undefined {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) return undefined;
  const { status, headers, body } = value;
  return typeof status === 'number' && isTextMap(headers) && typeof body === 'string'
    ? { status, headers, body }
    : undefined;
}

/** The answer to a request whose key was used before: the stored answer, or the reason why it is missing. */
export function replay(request: { readonly requestId: string }, entry: IdempotencyEntry): Reply {
  if (!entry.isSameBody) return problem(request, 'idempotency-key-reused', {});
  if (entry.answer === undefined) return problem(request, 'idempotency-in-progress', {});
  const answer = parseAnswer(entry.answer);
  if (answer === undefined) throw new TypeError('a stored answer is not an answer');
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } };
}
