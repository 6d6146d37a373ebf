import { ORB_STATUSES } from '../../../core/log-entry/entry-members.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import type { ListedOrb, OrbStatus } from '../../../core/publication/listed-orb.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { isReason, reasonMember, reasonSchema } from '../../http/reason.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';
import { isPlatformAdmin, PLATFORM_ONLY } from '../../http/platform-admin.ts';
import type { Reputation } from '../../reputation/reputation.ts';
import type { StatusChanged } from '../../reputation/status-changes.ts';
import { orbStatusSchema } from './schemas.ts';

const isStatus = (value: JsonValue | undefined): value is OrbStatus => ORB_STATUSES.some((status) => status === value);

const MEMBERS: readonly Member[] = [
  { name: 'status', accepts: isStatus, expected: `one of ${ORB_STATUSES.join(', ')}` },
  reasonMember,
];

/** Whether the caller acts for the tenant that published the version. */
const ownsIt = ({ caller }: RouteRequest, namespace: string): boolean =>
  caller !== undefined && (caller.tenants === '*' || caller.tenants.includes(namespace));

/**
 * A suspension and its end belong to the platform, every other change to the tenant that published.
 * @returns why the caller may not; undefined: it may
 */
function refusalOf(request: RouteRequest, orb: ListedOrb, to: OrbStatus, isAdmin: boolean): string | undefined {
  if (orb.status === 'suspended' || to === 'suspended') return isAdmin ? undefined : PLATFORM_ONLY;
  return ownsIt(request, orb.namespace) ? undefined : 'Another tenant published this version.';
}

function changedReply(request: RouteRequest, orbId: string, status: OrbStatus, result: StatusChanged): Reply {
  switch (result.kind) {
    case 'done':
      return json({ orb_id: orbId, status, log: { index: result.logIndex } });
    case 'not-published':
      return problem(request, 'orb-not-published');
    case 'refused': {
      const detail = `${orbId} is ${result.from}; it can’t become ${status}.`;
      return problem(request, 'status-transition', {
        detail,
        errors: [{ pointer: '/status', code: 'status-transition', detail }],
      });
    }
    default:
      return result satisfies never;
  }
}

/** `POST /marketplace/orbs/{orb_id}/status` (trust.md §8.6). */
export function statusRoute({
  listings,
  statuses,
  platformNamespace,
}: Pick<Reputation, 'listings' | 'statuses' | 'platformNamespace'>): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const { orb_id: orbId = '' } = request.params;
    const body = readMembers(request, MEMBERS);
    if (!body.ok) return body.reply;
    const { status, reason } = body.value;
    if (!isStatus(status) || !isReason(reason)) return problem(request, 'invalid-parameter');
    const orb = listings.orb(orbId);
    if (orb === undefined) return problem(request, 'orb-not-published');
    const isAdmin = isPlatformAdmin(request.caller, platformNamespace);
    const refusal = refusalOf(request, orb, status, isAdmin);
    if (refusal !== undefined) return problem(request, 'forbidden', { detail: refusal });
    return changedReply(request, orbId, status, await statuses.change(orbId, { status, reason, isAdmin }));
  };
  return {
    method: 'post',
    path: '/marketplace/orbs/{orb_id}/status',
    scope: 'marketplace:publish',
    admin: 'maybe',
    accepts: 'application/json',
    handle,
    operation: {
      operationId: 'setOrbStatus',
      summary: 'Deprecates, yanks or restores a published version; the platform also suspends',
      tags: ['marketplace'],
      parameters: [{ name: 'orb_id', in: 'path', description: 'A published version.', schema: shapes.orbId }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: closed({
              status: { type: 'string', enum: [...ORB_STATUSES] },
              reason: reasonSchema,
            }),
          },
        },
      },
      responses: {
        '200': { description: 'Changed.', content: { 'application/json': { schema: orbStatusSchema } } },
      },
      problems: [
        'invalid-parameter',
        'unknown-member',
        'invalid-json',
        'orb-not-published',
        'forbidden',
        'status-transition',
        'ledger-unavailable',
        'ledger-forked',
      ],
    },
  };
}
