import type { SourceType } from '../../core/ingestion/source/scheme-of.ts';
import { problem } from '../http/problem.ts';
import { rateProblem, type RateRefusal } from '../http/rate-problem.ts';
import type { Reply } from '../http/route.ts';

interface Asked {
  readonly requestId: string;
}

/** Vendors that come back after 429. Others drop such a delivery, and come back after a 5xx only (ingestion.md §6). */
const RETRIES_429: ReadonlySet<SourceType> = new Set<SourceType>(['pagerduty', 'standardWebhooks']);

/** One text for every wrong sender: it says neither what was wrong nor what is expected. */
export const wrongSender = (request: Asked): Reply =>
  problem(request, 'unauthenticated', {
    detail: 'Signature, secret, token, time or address of this delivery is not what the signal source accepts.',
    next: 'Compare the secret and the scheme at the vendor with the OrbSignalSource, and the clock of the sender with UTC.',
    headers: { 'www-authenticate': 'Webhook realm="signal-source"' },
  });

/** Too many requests of a client or a source. */
export const tooMany = (request: Asked, type: SourceType | undefined, refusal: RateRefusal): Reply =>
  type !== undefined && RETRIES_429.has(type)
    ? rateProblem(request, refusal)
    : problem(request, 'overloaded', { headers: refusal.headers, extensions: { limit: refusal.limit } });

/** @param methods what the path takes, as in `Allow` */
export const wrongMethod = (request: Asked, methods: string): Reply =>
  problem(request, 'method-not-allowed', { headers: { allow: methods } });
