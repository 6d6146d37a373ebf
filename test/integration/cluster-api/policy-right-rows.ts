import type { Scope } from '../../../core/api-key/scopes.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';

/** What earlier requests of the table left. */
export interface Left {
  readonly namespace: string;
  readonly orbId: string;
  /** Of the policy `limits`. */
  readonly etag: string;
  /** The version of `limits` that was created. */
  readonly digest: string;
  /** A denied run that waits for an approval. */
  readonly decisionId: string;
  readonly replayId: string;
}

/** One request to a route, and what each ServiceAccount hears. */
export interface RightRow {
  /** `GET /policies`, as the API document names it. */
  readonly route: string;
  readonly scope: Scope;
  /** Status for the ServiceAccount that has the right of the scope, and no other right. */
  readonly allowed: number;
  /** For a ServiceAccount that has every right in another namespace. */
  readonly foreign: string;
  readonly path: (left: Left) => string;
  readonly body?: (left: Left) => object;
  readonly headers?: (left: Left) => Readonly<Record<string, string>>;
}

type Rest = Partial<Pick<RightRow, 'path' | 'body' | 'headers'>>;

/** Denies every run until somebody with the right to erase receipts approves it. */
export const LIMITS: OrbPolicySpec = {
  mode: 'Enforce',
  rules: [
    {
      name: 'approved',
      effect: 'require',
      when: 'orb.score <= 100',
      obligations: [{ type: 'requireApproval', by: 'receipts:erase' }],
    },
  ],
};
const AUDITED: OrbPolicySpec = { ...LIMITS, mode: 'Audit', priority: 5 };
const DRAFT = { metadata: { name: 'draft' }, spec: LIMITS };
const HOUR_MS = 3_600_000;

const inNamespace =
  (path: string) =>
  ({ namespace }: Left): string =>
    `${path}?namespace=${namespace}`;
const ofLimits =
  (rest = '') =>
  ({ namespace }: Left): string =>
    `/policies/${namespace}/limits${rest}`;
const ifMatch = ({ etag }: Left): Readonly<Record<string, string>> => ({ 'if-match': etag });

const rowOf =
  (scope: Scope, foreign: string) =>
  (
    route: string,
    allowed: number,
    { path = inNamespace(route.split(' ')[1] ?? ''), ...rest }: Rest = {},
  ): RightRow => ({
    route,
    scope,
    allowed,
    foreign: `404 ${foreign}`,
    path,
    ...rest,
  });

const readsAll = rowOf('policies:read', 'namespace-not-found');
const reads = rowOf('policies:read', 'policy-not-found');
const creates = rowOf('policies:write', 'namespace-not-found');
const writes = rowOf('policies:write', 'policy-not-found');
const simulates = rowOf('policies:simulate', 'namespace-not-found');
const replays = rowOf('policies:simulate', 'replay-not-found');
const lists = rowOf('decisions:read', 'namespace-not-found');
const decisions = rowOf('decisions:read', 'decision-not-found');

const PLACE = '/policies/{namespace}/{name}';
const ofReplay =
  (rest = '') =>
  ({ namespace, replayId }: Left): string =>
    `/replays/${replayId}${rest}?namespace=${namespace}`;
const ofDecision =
  (rest = '') =>
  ({ namespace, decisionId }: Left): string =>
    `/decisions/${decisionId}${rest}?namespace=${namespace}`;

/** The window of a replay that began just now. */
function lastHour(): object {
  const now = Date.now();
  return { from: new Date(now - HOUR_MS).toISOString(), to: new Date(now).toISOString() };
}

/** Every route of policies that needs a right, in an order in which each request can be answered. */
export const RIGHT_ROWS: readonly RightRow[] = [
  creates('POST /policies', 201, { body: () => ({ metadata: { name: 'limits' }, spec: LIMITS }) }),
  readsAll('GET /policies', 200),
  readsAll('GET /policies/coverage', 200),
  reads(`GET ${PLACE}`, 200, { path: ofLimits() }),
  reads(`GET ${PLACE}/versions`, 200, { path: ofLimits('/versions') }),
  reads(`GET ${PLACE}/versions/{digest}`, 200, { path: (left) => ofLimits(`/versions/${left.digest}`)(left) }),
  simulates('POST /policies/validate', 200, { body: () => ({ policy: DRAFT }) }),
  {
    ...rowOf('policies:simulate', 'orbiset-not-found')('POST /policies/evaluate', 200),
    path: () => '/policies/evaluate',
    body: ({ namespace, orbId }) => ({ orbiset: `${namespace}.support`, orb_id: orbId, policies: [DRAFT] }),
  },
  simulates('POST /policies/replay', 202, { body: () => ({ policy: DRAFT, window: lastHour() }) }),
  simulates('GET /replays', 200),
  replays('GET /replays/{replay_id}', 200, { path: ofReplay() }),
  replays('GET /replays/{replay_id}/changes', 200, { path: ofReplay('/changes') }),
  replays('DELETE /replays/{replay_id}', 200, { path: ofReplay() }),
  lists('GET /decisions', 200),
  decisions('GET /decisions/{decision_id}', 200, { path: ofDecision() }),
  decisions('POST /decisions/{decision_id}/explain', 200, { path: ofDecision('/explain') }),
  rowOf('policies:approve', 'decision-not-found')('POST /decisions/{decision_id}/approve', 201, {
    path: ofDecision('/approve'),
  }),
  writes(`PUT ${PLACE}`, 200, { path: ofLimits(), headers: ifMatch, body: () => ({ spec: AUDITED }) }),
  writes(`POST ${PLACE}/promote`, 200, { path: ofLimits('/promote'), body: () => ({}) }),
  writes(`POST ${PLACE}/rollback`, 200, { path: ofLimits('/rollback'), body: ({ digest }) => ({ digest }) }),
  writes(`DELETE ${PLACE}`, 204, { path: ofLimits(), headers: ifMatch }),
];

/** The scopes of these routes. */
export const POLICY_SCOPES: readonly Scope[] = [...new Set(RIGHT_ROWS.map(({ scope }) => scope))];
