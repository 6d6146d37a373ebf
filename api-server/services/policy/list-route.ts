import { objectAt } from '../../../core/json/members.ts';
import { keyOf, type KubeObject } from '../../../core/reconcile/kube-object.ts';
import { namespaceParameter, tenantFor } from '../../http/namespace.ts';
import type { Parameter } from '../../http/operation.ts';
import { cursorParameter } from '../../http/pages.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed } from '../../http/schemas.ts';
import type { PolicyParts } from './policy-parts.ts';
import { isForAll } from './policy-place.ts';
import { policyJson, policyObjectSchema } from './policy-view.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const MODES = ['Enforce', 'Audit', 'Disabled'] as const;
type Mode = (typeof MODES)[number];

const isMode = (text: string): text is Mode => MODES.some((mode) => mode === text);
/** The key of the last policy of the page before. */
const CURSOR = /^[a-z0-9-]{1,63}\/[a-z0-9-]{1,63}$/;
const isCursor = (text: string): text is string => CURSOR.test(text);

const modeOf = (policy: KubeObject): unknown => objectAt(policy, 'spec')['mode'] ?? 'Audit';

const parameters: readonly Parameter[] = [
  { name: 'mode', in: 'query', description: 'With this spec.mode.', schema: { type: 'string', enum: MODES } },
  {
    name: 'limit',
    in: 'query',
    description: `Policies on a page; default ${DEFAULT_LIMIT}.`,
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
  },
  cursorParameter(CURSOR),
  namespaceParameter,
];

const byKey = (one: KubeObject, other: KubeObject): number => (keyOf(one.metadata) < keyOf(other.metadata) ? -1 : 1);

/** The policies of the tenant, and those of the platform that meet its runs. @returns undefined: no answer */
async function policiesFor(
  { objects, platformNamespace }: PolicyParts,
  tenant: string,
): Promise<readonly KubeObject[] | undefined> {
  const lists = await Promise.all(
    [...new Set([tenant, platformNamespace])].map(async (namespace) => {
      const found = await objects.list(namespace);
      if (found.kind === 'away') return undefined;
      return namespace === tenant ? found.policies : found.policies.filter(isForAll);
    }),
  );
  return lists.includes(undefined) ? undefined : lists.flatMap((some) => some ?? []).toSorted(byKey);
}

/** `GET /policies` (policy.md §5). */
export function policyListRoute(parts: PolicyParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const reader = new QueryReader(
      request.query,
      parameters.map(({ name }) => name),
    );
    const query = reader.result({
      mode: reader.text('mode', isMode, MODES.join(', ')),
      limit: reader.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
      after: reader.text('cursor', isCursor, 'a next_cursor as it was given') ?? '',
    });
    if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
    const choice = tenantFor(request, 'namespace-not-found');
    if (!choice.ok) return choice.reply;
    const { mode, limit, after } = query.value;
    const all = await policiesFor(parts, choice.tenant);
    if (all === undefined) return problem(request, 'control-plane-unavailable');
    const left = all.filter(
      (policy) => keyOf(policy.metadata) > after && (mode === undefined || modeOf(policy) === mode),
    );
    const page = left.slice(0, limit);
    const last = page.at(-1);
    const next = left.length > page.length && last !== undefined ? keyOf(last.metadata) : null;
    return json({ items: page.map(policyJson), next_cursor: next }, { 'cache-control': 'private, no-cache' });
  };
  return {
    method: 'get',
    path: '/policies',
    scope: 'policies:read',
    handle,
    operation: {
      operationId: 'listPolicies',
      summary: 'Policies of the tenant, and those of the platform that meet its runs',
      tags: ['policies'],
      parameters,
      responses: {
        '200': {
          description: 'One page, by namespace and name.',
          content: {
            'application/json': {
              schema: closed({
                items: { type: 'array', items: policyObjectSchema, maxItems: MAX_LIMIT },
                next_cursor: { type: ['string', 'null'] },
              }),
            },
          },
        },
      },
      problems: ['invalid-parameter', 'namespace-not-found', 'namespace-ambiguous', 'control-plane-unavailable'],
    },
  };
}
