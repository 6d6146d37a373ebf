import type { JsonValue } from '../../../core/json/json-value.ts';
import { namespaceParameter } from '../../http/namespace.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';
import type { OrgVerified } from '../../reputation/orgs.ts';
import { actingTenant } from './acting-tenant.ts';
import { bodyOf, ORG, orgParameter, type OrgParts } from './org-operation.ts';

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string' && value.length <= 512;
const isOrg = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' && ORG.test(value) && value.length <= 63;

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
export const claimRoute = ({ orgs, listings }: OrgParts): Route => ({
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
      'unknown-member',
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
export const verifyRoute = ({ orgs, listings }: OrgParts): Route => ({
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
      'unknown-member',
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
