import type { JsonValue } from '../../../core/json/json-value.ts';
import { isPlatformAdmin, PLATFORM_ONLY } from '../../http/platform-admin.ts';
import { problem } from '../../http/problem.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { isReason, reasonMember, reasonSchema } from '../../http/reason.ts';
import { json } from '../../http/reply.ts';
import type { Route } from '../../http/route.ts';
import { closed, count } from '../../http/schemas.ts';
import type { Reputation } from '../../reputation/reputation.ts';

const isIndex = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const MEMBERS: readonly Member[] = [
  { name: 'index', accepts: isIndex, expected: 'the index of an entry, an integer from 0' },
  reasonMember,
];

/** `POST /log/retractions` (trust.md §2.1): takes an entry out of the scores; for the platform only. */
export const retractionRoute = ({
  retractions,
  platformNamespace,
}: Pick<Reputation, 'retractions' | 'platformNamespace'>): Route => ({
  method: 'post',
  path: '/log/retractions',
  scope: 'admin',
  accepts: 'application/json',
  handle: async (request) => {
    if (!isPlatformAdmin(request.caller, platformNamespace))
      return problem(request, 'forbidden', { detail: PLATFORM_ONLY });
    const body = readMembers(request, MEMBERS);
    if (!body.ok) return body.reply;
    const { index, reason } = body.value;
    if (!isIndex(index) || !isReason(reason)) return problem(request, 'invalid-parameter');
    const result = await retractions.retract(index, reason);
    if (result.kind === 'not-found') return problem(request, 'entry-not-found');
    if (result.kind === 'not-retractable') return problem(request, 'entry-not-retractable');
    return { ...json({ index: result.logIndex }), status: 201 };
  },
  operation: {
    operationId: 'retractEntry',
    summary: 'Takes an entry of the log out of the scores',
    description:
      'The entry stays in the log; a retraction entry that names it is appended, and the Orbs concerned are evaluated soon.',
    tags: ['log'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: closed({
            index: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
            reason: reasonSchema,
          }),
        },
      },
    },
    responses: {
      '201': {
        description: 'Retracted.',
        content: { 'application/json': { schema: closed({ index: count('Place of the retraction in the log.') }) } },
      },
    },
    problems: [
      'invalid-parameter',
      'unknown-member',
      'invalid-json',
      'entry-not-found',
      'entry-not-retractable',
      'ledger-unavailable',
      'ledger-forked',
    ],
  },
});
