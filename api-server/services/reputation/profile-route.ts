import type { Ledger } from '../../../adapters/ledger/port.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { historyOf, PROFILE_HISTORY } from '../../../core/reputation/profile.ts';
import { tierChangesOf } from '../../../core/reputation/tier-changes.ts';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import type { Listings } from '../../reputation/listings.ts';

export interface ProfileParts {
  readonly ledger: Pick<Ledger, 'evaluation' | 'tierChanges'>;
  readonly listings: Pick<Listings, 'orb'>;
}

/** The newest evaluation, with the changes of the tier up to now. */
async function profileText({ ledger }: ProfileParts, orbId: string): Promise<string | undefined> {
  const stored = await ledger.evaluation(orbId);
  const profile: unknown = stored === undefined ? undefined : JSON.parse(stored.profile);
  if (!isJsonObject(profile)) return undefined;
  const history = historyOf(tierChangesOf(await ledger.tierChanges(orbId, PROFILE_HISTORY)));
  return JSON.stringify({ ...profile, history });
}

/** `GET /reputation/{orb_id}` (spec §4.2, trust.md §5.5): a published id, unique in the platform. */
export function profileRoute(parts: ProfileParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const { orb_id: orbId = '' } = request.params;
    if (parts.listings.orb(orbId) === undefined) return problem(request, 'orb-not-published');
    const body = await profileText(parts, orbId);
    if (body === undefined) return problem(request, 'evaluation-pending');
    const headers = { 'content-type': 'application/json', 'cache-control': 'private, max-age=60' };
    const etag = `"${sha256Hex(body).slice(0, 32)}"`;
    return conditional(request.header('if-none-match'), etag, { status: 200, headers, body });
  };
  return {
    method: 'get',
    path: '/reputation/{orb_id}',
    scope: 'reputation:read',
    handle,
    operation: {
      operationId: 'getReputation',
      summary: 'Score and tier of a published version, with what they were computed from',
      tags: ['reputation'],
      parameters: [{ name: 'orb_id', in: 'path', description: 'A published version.', schema: shapes.orbId }],
      responses: {
        '200': {
          description: 'The profile of the newest evaluation.',
          content: { 'application/json': { schema: { type: 'object', required: ['orb_id', 'certification_tier'] } } },
        },
        '304': { description: 'Not changed.' },
      },
      problems: ['orb-not-published', 'evaluation-pending', 'ledger-unavailable'],
    },
  };
}
