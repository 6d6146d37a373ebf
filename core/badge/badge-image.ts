import { faceOf, type BadgeFace, type BadgeState } from './badge-face.ts';

/** Styles of a badge, the default first. */
export const BADGE_STYLES = ['flat', 'flat-square', 'plastic'] as const;

export type BadgeStyle = (typeof BADGE_STYLES)[number];

/**
 * Name of the renderer in every certified badge. Another version of the library draws other bytes, and then has another
 * name: a verifier draws the badge again and compares (trust.md §6.2).
 */
export const RENDERER = 'orb-badge/1';

/**
 * Draws label and message as an SVG, which has `{label}: {message}` as title and `aria-label`. Injected: the library that
 * draws is not part of core. It must give the same bytes for the same face.
 */
export type DrawFace = (face: Pick<BadgeFace, 'label' | 'message' | 'color'>, style: BadgeStyle) => string;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/** @throws TypeError the part is not there exactly once: the library that draws has changed */
function replaceOnce(svg: string, part: string, by: string): string {
  const pieces = svg.split(part);
  if (pieces.length !== 2) throw new TypeError(`a drawn badge has ${pieces.length - 1} times ${part}`);
  return pieces.join(by);
}

/** The drawing library always writes `label: message` as title. */
function withTitle(svg: string, { label, message, title }: BadgeFace): string {
  const [drawn, wanted] = [escapeXml(`${label}: ${message}`), escapeXml(title)];
  const named = replaceOnce(svg, ` aria-label="${drawn}"`, ` aria-label="${wanted}"`);
  return replaceOnce(named, `<title>${drawn}</title>`, `<title>${wanted}</title>`);
}

/** The certificate inside the image makes it a proof of its own. */
const metadataOf = (issuer: string, jwt: string): string =>
  `<metadata><orb:certificate xmlns:orb="${escapeXml(issuer)}/ns/badge" renderer="${RENDERER}">${escapeXml(jwt)}</orb:certificate></metadata>`;

/** The image of a badge, about 3.3 kB with a certificate (trust.md §6.2). */
export function badgeImage(state: BadgeState, style: BadgeStyle, draw: DrawFace): string {
  const face = faceOf(state);
  const svg = withTitle(draw(face, style), face);
  if (state.kind !== 'certified') return svg;
  return replaceOnce(svg, '</svg>', `${metadataOf(state.credential.issuer, state.jwt)}</svg>`);
}
