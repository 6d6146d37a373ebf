import type { Clock } from '../../../adapters/time/clock.ts';
import { encodeUtf8 } from '../../../core/json/bytes.ts';
import type { Sha256 } from '../../../core/json/digest.ts';
import { encodeHex } from '../../../core/json/hex.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { statusOperation } from './operations.ts';
import { evaluationRequest, findOrb, type FindingCatalog, type FoundOrb } from './orb-state.ts';
import type { SeenReplica } from './replica-status.ts';
import type { EvaluationSource, ReplicaView } from '../../providers/port.ts';
import { orbIncidents, type IncidentsOfOrb } from './orb-incidents.ts';
import { statusView } from './status-view.ts';

export interface StatusDeps {
  readonly catalog: FindingCatalog;
  readonly clock: Pick<Clock, 'now'>;
  readonly sha256: Sha256;
  readonly replica: ReplicaView;
  /** Instance name of this process. */
  readonly replicaName: string;
  readonly lastEvaluation: EvaluationSource;
  readonly ledger: IncidentsOfOrb;
}

// Only for this caller. A cache must revalidate it before each use.
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'private, no-cache', vary: 'Authorization' };

async function status(request: RouteRequest, deps: StatusDeps): Promise<Reply> {
  const { catalog, clock, sha256, lastEvaluation } = deps;
  const asked = findOrb(catalog, request);
  if (!asked.ok) return asked.reply;
  const { namespace, orbId } = asked.value.place;
  const [known, incidents] = await Promise.all([
    lastEvaluation(evaluationRequest(asked.value, clock.now())),
    orbIncidents(deps.ledger, { namespace, orbId, now: clock.now() }),
  ]);
  // The answer includes a swap that happened during the query for metrics.
  const found = findOrb(catalog, request);
  if (!found.ok) return found.reply;
  const body = JSON.stringify({
    ...statusView(found.value, known, replicaOf(found.value, deps), clock.now()),
    incidents,
  });
  const etag = `W/"${encodeHex(sha256(encodeUtf8(body))).slice(0, 32)}"`;
  return conditional(request.header('if-none-match'), etag, { status: 200, headers: HEADERS, body });
}

function replicaOf({ place: { namespace, orbId } }: FoundOrb, { replica, replicaName }: StatusDeps): SeenReplica {
  return {
    name: replicaName,
    breakers: replica.breakers(namespace, orbId),
    cooling: replica.cooling(namespace, orbId),
    providers: replica.providers(namespace, orbId),
  };
}

/** `GET /providers/{orb_id}/status` (failover.md §9.3). */
export const statusRoute = (deps: StatusDeps): Route => ({
  method: 'get',
  path: '/providers/{orb_id}/status',
  scope: 'providers:read',
  operation: statusOperation,
  handle: (request) => status(request, deps),
});
