import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { BadgeState } from '../../../core/badge/badge-face.ts';
import { BADGE_STYLES, badgeImage, type BadgeStyle } from '../../../core/badge/badge-image.ts';
import { problem } from '../../http/problem.ts';
import { QueryReader } from '../../http/query.ts';
import { conditional } from '../../http/reply.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { badgeStateOf } from './badge-state.ts';
import type { ReputationReader } from '../../reputation/reputation-reader.ts';

interface DrawnBadge {
  readonly svg: string;
  /** Strong: the hash of the image. */
  readonly etag: string;
}

/** Images that are kept, 5 kB each with its key. */
const MAX_DRAWN = 3000;

/**
 * Draws each badge once per change of its certificate. The library that draws is loaded for the first badge: it needs 12 MB
 * and up to 0.1 s, which a platform without badges does not pay.
 */
function drawOnce(): (state: BadgeState, style: BadgeStyle) => Promise<DrawnBadge> {
  const drawn = new Map<string, DrawnBadge>();
  return async (state, style) => {
    const key = `${style} ${state.kind === 'certified' ? state.jwt : state.kind}`;
    const known = drawn.get(key);
    if (known !== undefined) return known;
    const { drawFace } = await import('../../../adapters/badge/draw-face.ts');
    const svg = badgeImage(state, style, drawFace);
    const badge = { svg, etag: `"${sha256Hex(svg)}"` };
    const [oldest] = drawn.size < MAX_DRAWN ? [] : drawn.keys();
    if (oldest !== undefined) drawn.delete(oldest);
    drawn.set(key, badge);
    return badge;
  };
}

/** Image proxies keep old badges, so each use asks for the newest. The policy lets the image load and run nothing. */
const HEADERS = {
  'content-type': 'image/svg+xml',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  'access-control-allow-origin': '*',
} as const;

const isStyle = (text: string): text is BadgeStyle => BADGE_STYLES.some((style) => style === text);

/** `GET /reputation/{orb_id}/badge` (trust.md §6.2): public, because an image tag can't send a key. */
export function badgeRoute(reader: ReputationReader, clock: Pick<Clock, 'now'>): Route {
  const draw = drawOnce();
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const query = new QueryReader(request.query, ['style']);
    const style = query.text('style', isStyle, BADGE_STYLES.join(', ')) ?? 'flat';
    const read = query.result(style);
    if (!read.ok) return problem(request, 'invalid-parameter', { errors: read.errors });
    const state = await badgeStateOf(reader, request.params['orb_id'] ?? '', clock.now());
    const { svg, etag } = await draw(state, read.value);
    if (state.kind === 'unknown') return { status: 404, headers: { ...HEADERS }, body: svg };
    return conditional(request.header('if-none-match'), etag, { status: 200, headers: { ...HEADERS }, body: svg });
  };
  const image = { 'image/svg+xml': { schema: { type: 'string' } } } as const;
  return {
    method: 'get',
    path: '/reputation/{orb_id}/badge',
    scope: 'public',
    handle,
    operation: {
      operationId: 'getBadge',
      summary: 'Tier and score as an image, with the signed certificate inside',
      tags: ['reputation'],
      parameters: [
        {
          name: 'orb_id',
          in: 'path',
          description: 'A published version, or {org}.{name}: its highest active version.',
          schema: { type: 'string', maxLength: 253 },
        },
        {
          name: 'style',
          in: 'query',
          description: 'Form of the image; the default is flat.',
          schema: { type: 'string', enum: BADGE_STYLES },
        },
      ],
      responses: {
        '200': {
          description: 'The badge, also of an Orb without a certificate.',
          headers: { ETag: { description: 'Hash of the image.', schema: { type: 'string' } } },
          content: image,
        },
        '304': { description: 'Not changed.' },
        '404': { description: 'Nothing is published under this id: an image that says so.', content: image },
      },
      problems: ['invalid-parameter', 'ledger-unavailable'],
    },
  };
}
