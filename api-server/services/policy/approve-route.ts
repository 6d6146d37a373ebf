import type { Ledger, StoredDecision } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { isScope } from '../../../core/api-key/scopes.ts';
import type { Caller } from '../../../core/api-key/caller.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { newId } from '../../../core/receipt/ids.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { json } from '../../http/reply.ts';
import { refuse, type Reply, type Route, type RouteRequest, type Step } from '../../http/route.ts';
import { approvalSchema } from './decision-schemas.ts';
import { decisionParameter, findDecision } from './find-decision.ts';

export interface ApproveParts {
  readonly ledger: Pick<Ledger, 'decision' | 'addGrant'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly logger: Pick<Logger, 'info'>;
}

/** Time in which the run may be sent again (policy.md §3.3). */
const GRANT_MS = 15 * 60_000;

type Answer = 'yes' | 'no' | 'unknown';

/** A ServiceAccount is asked for each scope; a key has them all in its record. */
async function has({ scopes, mayAlso }: Caller, scope: string): Promise<Answer> {
  if (!isScope(scope)) return 'no';
  if (scopes.has(scope)) return 'yes';
  return mayAlso === undefined ? 'no' : mayAlso(scope);
}

/** A decision that waits for approvals. */
interface Open extends StoredDecision {
  readonly inputsSha256: string;
}

const isOpen = (stored: StoredDecision): stored is Open => stored.approvals.length > 0 && stored.inputsSha256 !== null;

/** The scopes that the caller approves for: those that the decision names and the caller has. */
async function scopesOf(request: RouteRequest, caller: Caller, { approvals }: Open): Promise<Step<readonly string[]>> {
  const answers = await Promise.all(approvals.map((scope) => has(caller, scope)));
  const held = approvals.filter((_, index) => answers[index] === 'yes');
  if (held.length > 0) return { ok: true, value: held };
  if (answers.includes('unknown')) return refuse(problem(request, 'authentication-unavailable'));
  const detail = `The approval needs one of these scopes beside policies:approve: ${approvals.join(', ')}.`;
  return refuse(problem(request, 'forbidden', { detail }));
}

interface Approval {
  readonly decision: Open;
  readonly scopes: readonly string[];
  readonly by: string;
}

/** Stores a grant for each scope. @returns those that were not there before */
async function grant(
  { ledger, clock, random }: ApproveParts,
  { decision, scopes, by }: Approval,
): Promise<readonly JsonObject[]> {
  const at = clock.now();
  const { decisionId, tenant, orbiset, caller, orbId, inputsSha256 } = decision;
  const grants: JsonObject[] = [];
  for (const scope of scopes) {
    const grantId = newId('grt_', at, random);
    const run = { orbiset, caller, orbId, inputsSha256 };
    const expiresAt = at + GRANT_MS;
    const { kind } = await ledger.addGrant({ grantId, tenant, decisionId, ...run, scope, by, at, expiresAt });
    if (kind === 'granted') grants.push({ grant_id: grantId, scope, expires_at: new Date(expiresAt).toISOString() });
  }
  return grants;
}

/**
 * `POST /decisions/{decision_id}/approve` (policy.md §3.3, §5): the next run of the same caller, Orbiset, Orb and inputs
 * may start, once, within 15 minutes.
 */
export function approveRoute(parts: ApproveParts): Route {
  const { ledger, logger } = parts;
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const found = await findDecision(request, ledger);
    if (!found.ok) return found.reply;
    const { caller } = request;
    const decision = found.value;
    if (caller === undefined) return problem(request, 'unauthenticated');
    if (!isOpen(decision))
      return problem(request, 'approval-not-open', { detail: 'The decision asked for no approval.' });
    if (caller.id === decision.caller)
      return problem(request, 'forbidden', { detail: 'Another identity must approve: this one sent the run.' });
    const scopes = await scopesOf(request, caller, decision);
    if (!scopes.ok) return scopes.reply;
    const grants = await grant(parts, { decision, scopes: scopes.value, by: caller.id });
    if (grants.length === 0)
      return problem(request, 'approval-not-open', { detail: 'The decision was approved before.' });
    const { decisionId, tenant } = decision;
    const granted = grants.map(({ scope = '' }) => scope);
    logger.info('a run is approved', { caller: caller.id, tenant, decision_id: decisionId, scopes: granted });
    return { ...json({ decision_id: decisionId, grants }), status: 201 };
  };
  return {
    method: 'post',
    path: '/decisions/{decision_id}/approve',
    scope: 'policies:approve',
    handle,
    operation: {
      operationId: 'approveDecision',
      summary: 'Approves one run that a policy holds back',
      description:
        'Needs the scope that the obligation names beside policies:approve. The grant is for the same caller, Orbiset, Orb and inputs, and the next such run uses it up.',
      tags: ['policies'],
      parameters: [decisionParameter, namespaceParameter],
      responses: {
        '201': { description: 'Approved.', content: { 'application/json': { schema: approvalSchema } } },
      },
      problems: ['decision-not-found', 'approval-not-open', 'forbidden', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}
