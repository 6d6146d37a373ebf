import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import type { Operation, Parameter } from '../../http/operation.ts';
import { isPlatformAdmin, PLATFORM_ONLY } from '../../http/platform-admin.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { isReason, reasonMember, reasonSchema } from '../../http/reason.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, count, shapes } from '../../http/schemas.ts';
import { readClaimState } from '../../reputation/claim-state.ts';
import type { OrgVerified } from '../../reputation/orgs.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import { actingTenant } from './acting-tenant.ts';

const ORG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value.length <= 512;
const isOrg = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && ORG.test(value) && value.length <= 63;

type OrgParts = Pick<Reputation, 'orgs' | 'listings' | 'platformNamespace'>;

const orgParameter: Parameter = {
  name: 'org',
  in: 'path',
  description: 'Organisation.',
  schema: { type: 'string', pattern: ORG.source, maxLength: 63 },
};

const bodyOf = (schema: Exclude<Operation['requestBody'], undefined>['content'][string]['schema']) => ({
  required: true,
  content: { 'application/json': { schema } },
});

const CLAIM: readonly Member[] = [
  { name: 'org', accepts: isOrg, expected: 'the name of an organisation' },
  { name: 'proof', accepts: (value) => value === 'dns', expected: 'dns' },
  { name: 'domain', accepts: isText, expected: 'the domain whose TXT record proves it, such as acme.com' },
];

const refusedName = (request: RouteRequest, code: 'org-taken' | 'name-confusable', detail: string): Reply =>
  problem(request, code, { detail, errors: [{ pointer: '/org', code, detail }] });

const TOO_MANY = {
  detail: 'The tenant has 16 open claims: verify one of them, or wait until one ends, 24 hours after it began.',
  headers: { 'retry-after': '60' },
};

/** `POST /marketplace/orgs` (trust.md §8.1): begins a claim. */
const claimRoute = ({ orgs, listings }: OrgParts): Route => ({
  method: 'post',
  path: '/marketplace/orgs',
  scope: 'marketplace:publish',
  accepts: 'application/json',
  handle: async (request) => {
    const body = readMembers(request, CLAIM);
    if (!body.ok) return body.reply;
    const { org, domain } = body.value;
    if (!isOrg(org) || !isText(domain)) return problem(request, 'invalid-parameter');
    const choice = actingTenant(request, org, listings);
    if (!choice.ok) return choice.reply;
    const result = await orgs.claim(org, choice.tenant, domain);
    if (result.kind === 'taken') return refusedName(request, 'org-taken', `Another tenant has proven ${org}.`);
    if (result.kind === 'too-many') return problem(request, 'rate-limited', TOO_MANY);
    if (result.kind === 'confusable') return refusedName(request, 'name-confusable', result.why);
    if (result.kind === 'other-domain') {
      const detail = `Expected: a domain that proves ${org}: its labels joined by “-”, or a domain of two labels that begins with it.`;
      const errors = [{ pointer: '/domain', code: 'member-malformed', detail }];
      return problem(request, 'invalid-parameter', { errors });
    }
    const expires = new Date(result.until).toISOString();
    const sign = `orb-org-claim\n${org}\n${choice.tenant}\n${result.nonce}`;
    return { ...json({ org, namespace: choice.tenant, nonce: result.nonce, expires_at: expires, sign }), status: 201 };
  },
  operation: {
    operationId: 'claimOrg',
    summary: 'Begins the claim of an organisation',
    tags: ['marketplace'],
    parameters: [namespaceParameter],
    requestBody: bodyOf(
      closed({
        org: { type: 'string', pattern: ORG.source },
        proof: { const: 'dns' },
        domain: { type: 'string', maxLength: 253 },
      }),
    ),
    responses: {
      '201': {
        description: 'The challenge: sign the text of sign with the key of the TXT record.',
        content: {
          'application/json': {
            schema: closed({
              org: { type: 'string' },
              namespace: { type: 'string' },
              nonce: { type: 'string' },
              expires_at: shapes.time,
              sign: { type: 'string' },
            }),
          },
        },
      },
    },
    problems: [
      'invalid-parameter',
      'invalid-json',
      'namespace-not-found',
      'namespace-ambiguous',
      'org-taken',
      'name-confusable',
      'rate-limited',
      'ledger-unavailable',
    ],
  },
});

const VERIFY: readonly Member[] = [
  { name: 'signature', accepts: isText, expected: 'base64 of the Ed25519 signature of the challenge', optional: true },
];

function verifiedReply(request: RouteRequest, org: string, result: OrgVerified): Reply {
  switch (result.kind) {
    case 'verified':
      return json({ org, state: 'verified' });
    case 'unknown':
      return problem(request, 'org-not-found');
    case 'taken':
      return problem(request, 'org-taken');
    case 'failed':
      return problem(request, 'org-proof-failed', { detail: result.why });
    default:
      return result satisfies never;
  }
}

/** `POST /marketplace/orgs/{org}/verify` (trust.md §8.1). */
const verifyRoute = ({ orgs, listings }: OrgParts): Route => ({
  method: 'post',
  path: '/marketplace/orgs/{org}/verify',
  scope: 'marketplace:publish',
  accepts: 'application/json',
  handle: async (request) => {
    const { org = '' } = request.params;
    const body = readMembers(request, VERIFY);
    if (!body.ok) return body.reply;
    const { signature } = body.value;
    const choice = actingTenant(request, org, listings);
    if (!choice.ok) return choice.reply;
    return verifiedReply(
      request,
      org,
      await orgs.verify(org, choice.tenant, isText(signature) ? signature : undefined),
    );
  },
  operation: {
    operationId: 'verifyOrg',
    summary: 'Proves the claim of an organisation',
    description: 'Without signature the TXT record must still hold the key that was proven before.',
    tags: ['marketplace'],
    parameters: [orgParameter, namespaceParameter],
    requestBody: bodyOf(closed({ signature: { type: 'string', maxLength: 512 } }, ['signature'])),
    responses: {
      '200': {
        description: 'Verified.',
        content: { 'application/json': { schema: closed({ org: { type: 'string' }, state: { const: 'verified' } }) } },
      },
    },
    problems: [
      'invalid-parameter',
      'invalid-json',
      'namespace-not-found',
      'namespace-ambiguous',
      'org-not-found',
      'org-taken',
      'org-proof-failed',
      'ledger-unavailable',
      'ledger-forked',
    ],
  },
});

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
