import type { Credential } from '../certificate/credential.ts';
import { decodeUtf8 } from '../json/bytes.ts';
import { BADGE_STYLES, badgeImage, RENDERER, type DrawFace } from './badge-image.ts';

/** The content of an SVG file that may be a badge. Nothing of it is verified. */
export interface ReadBadge {
  readonly svg: string;
  /** The signed certificate in it; undefined: it has none. */
  readonly jwt: string | undefined;
  /** Name of the program version that drew it; '' when it is not said. */
  readonly renderer: string;
}

/** A badge has about 3 kB. */
const MAX_BYTES = 65_536;

const CERTIFICATE = /<orb:certificate(?=[\s>])([^<>]*)>([^<>]*)<\/orb:certificate>/;
const RENDERER_NAME = /\srenderer="([^"]{0,64})"/;

/** Reads an SVG file. @returns undefined: it is not UTF-8, or larger than any badge */
export function readBadge(bytes: Uint8Array): ReadBadge | undefined {
  const svg = bytes.length > MAX_BYTES ? undefined : decodeUtf8(bytes);
  if (svg === undefined) return undefined;
  const [, attributes = '', jwt] = CERTIFICATE.exec(svg) ?? [];
  return { svg, jwt: jwt?.trim(), renderer: RENDERER_NAME.exec(attributes)?.[1] ?? '' };
}

/**
 * Whether an image is exactly what its certificate looks like: it is drawn again in each style and compared (trust.md
 * §6.2). Another text or fill, a script or a second certificate makes other bytes.
 */
export function checkBadge(
  { svg, renderer }: ReadBadge,
  certificate: { readonly credential: Credential; readonly jwt: string },
  draw: DrawFace,
): 'pass' | 'badge_mismatch' | 'badge_unknown' {
  if (renderer !== RENDERER) return 'badge_unknown';
  const state = { kind: 'certified', ...certificate } as const;
  return BADGE_STYLES.some((style) => badgeImage(state, style, draw) === svg) ? 'pass' : 'badge_mismatch';
}
