import type { Ledger, SignedCheckpoint } from '../../../adapters/ledger/port.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { json } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { closed, shapes } from '../../http/schemas.ts';

type Log = Pick<Ledger, 'checkpoint' | 'inclusionProof' | 'consistencyProof'>;

/** What is of a fixed size of the log never changes. */
export const FIXED_CACHE = 'public, max-age=31536000, immutable';

const base64 = (hashes: readonly Uint8Array[]): readonly string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('base64'));

const size = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: true,
  description,
  schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
});

/**
 * Runs `read` when a signed tree with entries exists. Only signed sizes are proven: an unsigned root proves nothing.
 */
export async function withCheckpoint(
  log: Pick<Log, 'checkpoint'>,
  request: RouteRequest,
  read: (newest: SignedCheckpoint) => Promise<Reply>,
): Promise<Reply> {
  const newest = await log.checkpoint();
  return newest === undefined || newest.size === 0 ? problem(request, 'checkpoint-pending') : read(newest);
}

const checkpointRoute = (log: Log): Route => ({
  method: 'get',
  path: '/log/checkpoint',
  scope: 'public',
  handle: (request) =>
    withCheckpoint(log, request, ({ note }) => {
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' };
      return Promise.resolve({ status: 200, headers, body: note });
    }),
  operation: {
    operationId: 'getCheckpoint',
    summary: 'Newest signed checkpoint of the log',
    tags: ['log'],
    responses: {
      '200': { description: 'C2SP signed note.', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
    problems: ['checkpoint-pending', 'ledger-unavailable'],
  },
});

const inclusionRoute = (log: Log): Route => ({
  method: 'get',
  path: '/log/inclusion',
  scope: 'public',
  handle: (request) =>
    withCheckpoint(log, request, async (newest) => {
      const reader = new QueryReader(request.query, ['index', 'size']);
      const within = reader.needed('size', 1, newest.size);
      const index = reader.needed('index', 0, (Number.isNaN(within) ? newest.size : within) - 1);
      const query = reader.result({ index, size: within });
      if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
      const proof = await log.inclusionProof(index, within);
      return json({ ...query.value, proof: base64(proof) }, { 'cache-control': FIXED_CACHE });
    }),
  operation: {
    operationId: 'getInclusionProof',
    summary: 'RFC 6962 audit path of one entry',
    tags: ['log'],
    parameters: [
      size('index', 'Index of the entry.'),
      size('size', 'Size of the tree, at most the newest checkpoint’s.'),
    ],
    responses: {
      '200': {
        description: 'Hashes from the leaf’s sibling up.',
        content: {
          'application/json': {
            schema: closed({
              index: { type: 'integer', minimum: 0 },
              size: { type: 'integer', minimum: 1 },
              proof: shapes.hashes,
            }),
          },
        },
      },
    },
    problems: ['invalid-parameter', 'checkpoint-pending', 'ledger-unavailable'],
  },
});

const consistencyRoute = (log: Log): Route => ({
  method: 'get',
  path: '/log/consistency',
  scope: 'public',
  handle: (request) =>
    withCheckpoint(log, request, async (newest) => {
      const reader = new QueryReader(request.query, ['first', 'second']);
      const second = reader.needed('second', 1, newest.size);
      const first = reader.needed('first', 1, Number.isNaN(second) ? newest.size : second);
      const query = reader.result({ first, second });
      if (!query.ok) return problem(request, 'invalid-parameter', { errors: query.errors });
      const proof = await log.consistencyProof(first, second);
      return json({ ...query.value, proof: base64(proof) }, { 'cache-control': FIXED_CACHE });
    }),
  operation: {
    operationId: 'getConsistencyProof',
    summary: 'RFC 6962 proof that the log only grew',
    tags: ['log'],
    parameters: [size('first', 'Earlier size.'), size('second', 'Later size, at most the newest checkpoint’s.')],
    responses: {
      '200': {
        description: 'Empty when both sizes are equal.',
        content: {
          'application/json': {
            schema: closed({
              first: { type: 'integer', minimum: 1 },
              second: { type: 'integer', minimum: 1 },
              proof: shapes.hashes,
            }),
          },
        },
      },
    },
    problems: ['invalid-parameter', 'checkpoint-pending', 'ledger-unavailable'],
  },
});

/** `/log/*` (trust.md §2.2): public; all data that a stranger needs to follow the log. */
export const logRoutes = (log: Log): readonly Route[] => [
  checkpointRoute(log),
  inclusionRoute(log),
  consistencyRoute(log),
];
