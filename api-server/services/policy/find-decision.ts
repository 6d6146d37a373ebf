import type { Ledger, StoredDecision } from '../../../adapters/ledger/port.ts';
import { tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';

const DECISION_ID = /^dec_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The decision in a path. */
export const decisionParameter: Parameter = {
  name: 'decision_id',
  in: 'path',
  description: 'As in the answer to a denied run, or in the list of decisions.',
  schema: shapes.decisionId,
};

/** The decision in the path, of the tenant of the request; another tenant's looks like one that does not exist. */
export async function findDecision(
  request: RouteRequest,
  ledger: Pick<Ledger, 'decision'>,
): Promise<Step<StoredDecision>> {
  const choice = tenantFor(request, 'decision-not-found');
  if (!choice.ok) return choice;
  const { decision_id: id = '' } = request.params;
  const found = DECISION_ID.test(id) ? await ledger.decision(choice.tenant, id) : undefined;
  return found === undefined ? refuse(problem(request, 'decision-not-found')) : { ok: true, value: found };
}
