import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { isPlatformAdmin, PLATFORM_ONLY } from '../../http/platform-admin.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { isReason, reasonMember, reasonSchema } from '../../http/reason.ts';
import { json } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { closed, count, shapes } from '../../http/schemas.ts';
import { readClaimState } from '../../reputation/claim-state.ts';
import { claimRoute, verifyRoute } from './org-claim-routes.ts';
import { bodyOf, orgParameter, type OrgParts } from './org-operation.ts';

function orgView({ listings }: OrgParts, org: string): JsonObject | undefined {
  const row = listings.org(org);
  if (row === undefined) return undefined;
  const orbs = [...listings.all()].filter(({ publisher }) => publisher.org === org).length;
  return {
    org,
    state: row.state,
    proof: row.proof,
    domain: row.proof === 'dns' ? (readClaimState(row.json).proven?.domain ?? null) : null,
    since: new Date(row.since).toISOString(),
    published: orbs,
  };
}

/** `GET /marketplace/orgs/{org}` (trust.md §8.1). */
const showRoute = (parts: OrgParts): Route => ({
  method: 'get',
  path: '/marketplace/orgs/{org}',
  scope: 'marketplace:read',
  handle: async (request) => {
    const view = orgView(parts, request.params['org'] ?? '');
    return view === undefined ? problem(request, 'org-not-found') : json(view);
  },
  operation: {
    operationId: 'getOrg',
    summary: 'What is proven of an organisation',
    tags: ['marketplace'],
    parameters: [orgParameter],
    responses: {
      '200': {
        description: 'The organisation.',
        content: {
          'application/json': {
            schema: closed({
              org: { type: 'string' },
              state: { type: 'string', enum: ['verified', 'unverified', 'suspended'] },
              proof: { type: 'string', enum: ['operator', 'dns'] },
              domain: {
                type: ['string', 'null'],
                description: 'Domain whose TXT record proves it; null: the operator of the platform names the owner.',
              },
              since: shapes.time,
              published: count('Versions that it published.'),
            }),
          },
        },
      },
    },
    problems: ['org-not-found'],
  },
});

const isOrgStatus = (value: JsonValue | undefined): value is 'suspended' | 'restored' =>
  value === 'suspended' || value === 'restored';

const STATUS: readonly Member[] = [
  { name: 'status', accepts: isOrgStatus, expected: 'suspended or restored' },
  reasonMember,
];

/** `POST /marketplace/orgs/{org}/status` (trust.md §8.1): for the platform only. */
const orgStatusRoute = ({ orgs, listings, platformNamespace }: OrgParts): Route => ({
  method: 'post',
  path: '/marketplace/orgs/{org}/status',
  scope: 'admin',
  accepts: 'application/json',
  handle: async (request) => {
    const { org = '' } = request.params;
    if (!isPlatformAdmin(request.caller, platformNamespace))
      return problem(request, 'forbidden', { detail: PLATFORM_ONLY });
    const body = readMembers(request, STATUS);
    if (!body.ok) return body.reply;
    const { status, reason } = body.value;
    if (!isOrgStatus(status) || !isReason(reason)) return problem(request, 'invalid-parameter');
    const result = await orgs.setStatus(org, status, reason);
    if (result.kind === 'unknown') return problem(request, 'org-not-found');
    if (result.kind === 'done') return json({ org, status, log: { index: result.logIndex } });
    const detail = `${org} is ${listings.org(org)?.state ?? 'unknown'} already.`;
    const errors = [{ pointer: '/status', code: 'status-transition', detail }];
    return problem(request, 'status-transition', { detail, errors });
  },
  operation: {
    operationId: 'setOrgStatus',
    summary: 'Suspends an organisation with all its Orbs, or ends that',
    tags: ['marketplace'],
    parameters: [orgParameter],
    requestBody: bodyOf(
      closed({
        status: { type: 'string', enum: ['suspended', 'restored'] },
        reason: reasonSchema,
      }),
    ),
    responses: {
      '200': {
        description: 'Changed.',
        content: {
          'application/json': {
            schema: closed({
              org: { type: 'string' },
              status: { type: 'string' },
              log: closed({ index: count('Place of the entry in the log.') }),
            }),
          },
        },
      },
    },
    problems: [
      'invalid-parameter',
      'unknown-member',
      'invalid-json',
      'org-not-found',
      'forbidden',
      'status-transition',
      'ledger-unavailable',
      'ledger-forked',
    ],
  },
});

/** Organisations: claim, proof, state. */
export const orgRoutes = (parts: OrgParts): readonly Route[] => [
  claimRoute(parts),
  verifyRoute(parts),
  showRoute(parts),
  orgStatusRoute(parts),
];
