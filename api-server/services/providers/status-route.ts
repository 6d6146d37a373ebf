import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { encodeUtf8 } from '../../../core/json/bytes.ts';
import type { Sha256 } from '../../../core/json/digest.ts';
import { encodeHex } from '../../../core/json/hex.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { statusOperation } from './operations.ts';
import { evaluationRequest, findOrb } from './orb-state.ts';
import type { EvaluationSource, ReplicaView } from '../../providers/port.ts';
import { statusView } from './status-view.ts';

export interface StatusDeps {
  readonly catalog: Pick<Catalog, 'orb'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly sha256: Sha256;
  readonly replica: ReplicaView;
  readonly lastEvaluation: EvaluationSource;
}

// Only for this caller. A cache must revalidate it before each use.
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'private, no-cache', vary: 'Authorization' };

async function status(request: RouteRequest, deps: StatusDeps): Promise<Reply> {
  const { catalog, clock, sha256, replica, lastEvaluation } = deps;
  const asked = findOrb(catalog, request);
  if (!asked.ok) return asked.reply;
  const known = await lastEvaluation(evaluationRequest(asked.value, clock.now()));
  // The answer includes a swap that happened during the query for metrics.
  const found = findOrb(catalog, request);
  if (!found.ok) return found.reply;
  const body = JSON.stringify(statusView(found.value, known, replica, clock.now()));
  const etag = `W/"${encodeHex(sha256(encodeUtf8(body))).slice(0, 32)}"`;
  return conditional(request.header('if-none-match'), etag, { status: 200, headers: HEADERS, body });
}

/** `GET /providers/{orb_id}/status` (failover.md §9.3). */
export const statusRoute = (deps: StatusDeps): Route => ({
  method: 'get',
  path: '/providers/{orb_id}/status',
  scope: 'providers:read',
  operation: statusOperation,
  handle: (request) => status(request, deps),
});
