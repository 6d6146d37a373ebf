import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import { hasTile, isEdgeOf, isFull, parseTilePath, tileSpan, type TilePlace } from '../../../core/merkle/tiles.ts';
import { negotiate } from '../../http/accept.ts';
import type { Parameter } from '../../http/operation.ts';
import { problem } from '../../http/problem.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { FIXED_CACHE, withCheckpoint } from './log-routes.ts';

type Log = Pick<Ledger, 'checkpoint' | 'checkpointCovering' | 'tile'>;

/** Names of the path segments after the level. Four groups of three digits and a width are enough for 2·10^14 entries. */
const SEGMENTS = ['first', 'second', 'third', 'fourth', 'fifth'] as const;

const compress = promisify(gzip);

/** Only what a signed checkpoint covers is served, and only the partial tiles of signed checkpoints. */
async function isSigned(log: Log, place: TilePlace, newestSize: number): Promise<boolean> {
  if (isFull(place)) return hasTile(place, newestSize);
  const covering = await log.checkpointCovering(tileSpan(place).to - 1);
  return covering !== undefined && isEdgeOf(place, covering.size);
}

/** Hashes look random and do not get smaller. */
async function tileReply(place: TilePlace, bytes: Uint8Array, accepted: string | undefined): Promise<Reply> {
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': FIXED_CACHE };
  if (place.level !== 'entries') return { status: 200, headers, body: bytes };
  const varying = { ...headers, vary: 'Accept-Encoding' };
  // Without the header every coding is allowed, and none is the safe one.
  const coding = accepted === undefined ? 'identity' : (negotiate(accepted, ['gzip', 'identity']) ?? 'identity');
  if (coding === 'identity') return { status: 200, headers: varying, body: bytes };
  return { status: 200, headers: { ...varying, 'content-encoding': 'gzip' }, body: await compress(bytes) };
}

function placeOf({ params }: RouteRequest, names: readonly string[]): TilePlace | undefined {
  const segments = ['level', ...names].map((name) => params[name] ?? '');
  // A decoded %2F would be a second address of the same tile.
  return segments.some((segment) => segment.includes('/')) ? undefined : parseTilePath(`tile/${segments.join('/')}`);
}

const parameter = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  description,
  schema: { type: 'string' },
});

function tileRoute(log: Log, names: readonly (typeof SEGMENTS)[number][]): Route {
  return {
    method: 'get',
    path: `/log/tile/{level}/${names.map((name) => `{${name}}`).join('/')}`,
    scope: 'public',
    handle: (request) =>
      withCheckpoint(log, request, async (newest) => {
        const place = placeOf(request, names);
        if (place === undefined || !(await isSigned(log, place, newest.size)))
          return problem(request, 'entry-not-found');
        return tileReply(place, await log.tile(place), request.header('accept-encoding'));
      }),
    operation: {
      operationId: `getTile${names.length}`,
      summary: `Hashes or entries of the log, by a path of ${names.length === 1 ? 'one segment' : `${names.length} segments`}`,
      description:
        'C2SP tlog-tiles: the number of the tile in groups of three digits, all but the last with x, then .p/WIDTH for a partial tile.',
      tags: ['log'],
      parameters: [
        parameter('level', 'Level of the tile, or `entries` for a bundle of entries.'),
        ...names.map((name) => parameter(name, 'A group of three digits, or the width of a partial tile.')),
      ],
      responses: {
        '200': {
          description: 'Hashes of 32 bytes, or entries with their lengths (uint16, big endian). It never changes.',
          content: { 'application/octet-stream': { schema: { type: 'string' } } },
        },
      },
      problems: ['checkpoint-pending', 'entry-not-found', 'ledger-unavailable'],
    },
  };
}

/** `/log/tile/…` (trust.md §2.2): the log as files that never change, for monitors and for recomputing scores. */
export const tileRoutes = (log: Log): readonly Route[] =>
  SEGMENTS.map((_, last) => tileRoute(log, SEGMENTS.slice(0, last + 1)));
