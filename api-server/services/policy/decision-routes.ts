import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { DecisionQuery, Ledger } from '../../../adapters/ledger/port.ts';
import { isLabelName } from '../../../core/reconcile/kube-name.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import {
  cursorParameter,
  foreignCursor,
  isCursor,
  isOrbIdText,
  pageAt,
  present,
  queryParameter,
} from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader, type Query } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { decisionListSchema, decisionSchema } from './decision-schemas.ts';
import { decisionItem } from './decision-view.ts';
import { decisionParameter, findDecision } from './find-decision.ts';

export interface DecisionParts {
  readonly ledger: Pick<Ledger, 'decision' | 'decisions'>;
  readonly catalog: Pick<Catalog, 'orbiset'>;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const PRIVATE = { 'cache-control': 'private, no-cache' };

const isDecision = (text: string): text is 'allow' | 'deny' => text === 'allow' || text === 'deny';
const isShadow = (text: string): text is 'would_allow' | 'would_deny' =>
  text === 'would_allow' || text === 'would_deny';
const isBoolean = (text: string): text is 'true' | 'false' => text === 'true' || text === 'false';
const isPolicyId = (text: string): text is string => {
  const parts = text.split('/');
  return parts.length === 2 && parts.every(isLabelName);
};

const parameters: readonly Parameter[] = [
  queryParameter('since', 'Made at this time or later (UTC).', { type: 'string' }),
  queryParameter('until', 'Made before this time (UTC).', { type: 'string' }),
  queryParameter('policy', 'With a rule of this policy: namespace/name.', { type: 'string', maxLength: 127 }),
  queryParameter('decision', 'With this decision.', { type: 'string', enum: ['allow', 'deny'] }),
  queryParameter('shadow', 'With this decision of all policies together.', {
    type: 'string',
    enum: ['would_allow', 'would_deny'],
  }),
  queryParameter('shadow_differs', 'Whether audited policies would have decided otherwise.', { type: 'boolean' }),
  queryParameter('orb_id', 'Of this Orb.', shapes.orbId),
  queryParameter('limit', `Decisions on a page; default ${DEFAULT_LIMIT}. A page may hold fewer though more follow.`, {
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
  }),
  cursorParameter(),
  namespaceParameter,
];

function queryOf(request: RouteRequest): Query<DecisionQuery> {
  const reader = new QueryReader(
    request.query,
    parameters.map(({ name }) => name),
  );
  const limit = reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT;
  const differs = reader.text('shadow_differs', isBoolean, 'true or false');
  const filters = {
    cursor: reader.text('cursor', isCursor, 'a next_cursor as it was given'),
    since: reader.time('since'),
    until: reader.time('until'),
    decision: reader.text('decision', isDecision, 'allow or deny'),
    shadow: reader.text('shadow', isShadow, 'would_allow or would_deny'),
    shadowDiffers: differs === undefined ? undefined : differs === 'true',
    orbId: reader.text('orb_id', isOrbIdText, '{org}.{name}@{semver}'),
    policy: reader.text('policy', isPolicyId, 'namespace/name'),
  };
  return reader.result({ limit, ...present(filters) });
}

function listRoute({ ledger, catalog }: DecisionParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const query = queryOf(request);
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const page = await pageAt(query.value, (asked) => ledger.decisions(choice.tenant, asked));
    if (page === undefined) return foreignCursor(request);
    const items = page.items.map((stored) => decisionItem(stored, catalog));
    return json({ items, next_cursor: page.nextCursor }, PRIVATE);
  };
  return {
    method: 'get',
    path: '/decisions',
    scope: 'decisions:read',
    handle,
    operation: {
      operationId: 'listDecisions',
      summary: 'Decisions of policies about runs of the tenant, newest first',
      tags: ['policies'],
      parameters,
      responses: {
        '200': { description: 'One page.', content: { 'application/json': { schema: decisionListSchema } } },
      },
      problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
    },
  };
}

const readRoute = ({ ledger, catalog }: DecisionParts): Route => ({
  method: 'get',
  path: '/decisions/{decision_id}',
  scope: 'decisions:read',
  handle: async (request) => {
    const found = await findDecision(request, ledger);
    return found.ok ? json(decisionItem(found.value, catalog), PRIVATE) : found.reply;
  },
  operation: {
    operationId: 'getDecision',
    summary: 'What policies decided about a run',
    tags: ['policies'],
    parameters: [decisionParameter, namespaceParameter],
    responses: {
      '200': { description: 'The decision.', content: { 'application/json': { schema: decisionSchema } } },
    },
    problems: ['decision-not-found', 'namespace-ambiguous', 'ledger-unavailable'],
  },
});

/** `GET /decisions` and `GET /decisions/{decision_id}` (policy.md §5). */
export const decisionRoutes = (parts: DecisionParts): readonly Route[] => [listRoute(parts), readRoute(parts)];
