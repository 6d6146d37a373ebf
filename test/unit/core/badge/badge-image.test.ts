import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { drawFace } from '../../../../adapters/badge/draw-face.ts';
import type { BadgeState } from '../../../../core/badge/badge-face.ts';
import { BADGE_STYLES, badgeImage, RENDERER, type BadgeStyle } from '../../../../core/badge/badge-image.ts';
import { checkBadge, readBadge } from '../../../../core/badge/read-badge.ts';
import { CERTIFIED_STATUSES, CERTIFIED_TIERS, type Credential } from '../../../../core/certificate/credential.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { aBadge, aCredential, aJwt, FACTS } from '../verify/a-certificate.ts';
import { contrastsOf } from './contrast.ts';

const certified = (some: Partial<Credential['credentialSubject']>): BadgeState => {
  const facts = { subject: { ...FACTS.subject, ...some } };
  return { kind: 'certified', credential: aCredential(facts), jwt: aJwt({ facts }) };
};

const OTHERS = ['uncertified', 'suspended', 'yanked', 'expired', 'unknown'] as const;
const STATES: readonly (readonly [string, BadgeState])[] = [
  ...CERTIFIED_TIERS.flatMap((tier) =>
    CERTIFIED_STATUSES.map((status) => {
      const state = certified({ tier, tier_status: status });
      return [`${tier} 96${status === 'at_risk' ? ' at risk' : ''}`, state] as const;
    }),
  ),
  ['gold 100', certified({ reputation_score: 100 })],
  ['gold 0', certified({ reputation_score: 0 })],
  ...OTHERS.map((kind) => [kind, { kind }] as const),
];

const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

const hashOf = (style: BadgeStyle): string =>
  createHash('sha256')
    .update(badgeImage({ kind: 'uncertified' }, style, drawFace))
    .digest('hex')
    .slice(0, 16);

describe('badgeImage', () => {
  for (const style of BADGE_STYLES)
    for (const [message, state] of STATES) {
      it(`says "${message}" in text, title and aria-label, ${style}, with a contrast of 4.5:1`, () => {
        const svg = badgeImage(state, style, drawFace);
        const title = `orb certified: ${message}${state.kind === 'certified' ? ', as of 2026-11-20' : ''}`;
        expect(textsOf(svg)).to.include('orb certified').and.include(message);
        expect(svg.match(/<title>[^<]*<\/title>/g)).to.deep.equal([`<title>${title}</title>`]);
        expect(svg.match(/ aria-label="[^"]*"/g)).to.deep.equal([` aria-label="${title}"`]);
        expect(svg).to.include(' role="img"');
        const contrasts = contrastsOf(svg);
        expect(contrasts).to.have.length(2);
        expect(Math.min(...contrasts), contrasts.join(' ')).to.be.at.least(4.5);
      });
    }

  it('shows the same colour for a tier in every score, and another one at risk', () => {
    const fills = ['gold 96', 'gold 100', 'gold 96 at risk', 'platinum 96', 'uncertified', 'suspended'].map((name) => {
      const state = STATES.find(([message]) => message === name)?.[1] ?? { kind: 'unknown' };
      return /<rect x="\d+" width="\d+" height="20" fill="(#[0-9a-f]+)"/.exec(badgeImage(state, 'flat', drawFace))?.[1];
    });
    expect(fills).to.deep.equal(['#886308', '#886308', '#b04a00', '#2c6b7f', '#696969', '#c0392b']);
  });

  it('holds its certificate before its end, and none without one', () => {
    const jwt = aJwt();
    expect(aBadge(jwt)).to.match(
      new RegExp(
        `<metadata><orb:certificate xmlns:orb="https://orbs\\.example/ns/badge" renderer="orb-badge/1">${jwt.replaceAll('.', '\\.')}</orb:certificate></metadata></svg>$`,
      ),
    );
    for (const kind of OTHERS) expect(badgeImage({ kind }, 'flat', drawFace)).not.to.include('metadata');
  });

  it('has about 3 kB', () => {
    for (const style of BADGE_STYLES) expect(aBadge(aJwt(), style).length).to.be.within(2000, 4096);
  });

  it('loads nothing and runs nothing', () => {
    for (const style of BADGE_STYLES)
      expect(aBadge(aJwt(), style)).not.to.match(/<script|<image|<a[ >]|href=|onload|<style|<foreignObject/i);
  });

  // Another hash means other bytes: verifiers that know the renderer by this name would call good badges changed.
  it(`is drawn as ${RENDERER} draws`, () => {
    expect([RENDERER, ...BADGE_STYLES.map(hashOf)]).to.deep.equal([
      'orb-badge/1',
      '2af2fe0f47ea152c',
      '3755e876028ae55d',
      '1e53be068d36bbf2',
    ]);
  });

  it('fails when the drawing library writes another title', () => {
    expect(() => badgeImage({ kind: 'expired' }, 'flat', () => '<svg><title>x</title></svg>')).to.throw(TypeError);
  });
});

/** A badge without gradients, with one fill everywhere. */
const filled = (fill: string): string =>
  badgeImage({ kind: 'uncertified' }, 'flat-square', drawFace).replaceAll('#696969', fill).replaceAll('#555', fill);

describe('contrastsOf', () => {
  // White text; figures of the WCAG's own formula.
  const known: readonly (readonly [fill: string, contrast: number])[] = [
    ['#000000', 21],
    ['#767676', 4.54],
    ['#777777', 4.48],
    ['#ff0000', 4],
    ['#ffffff', 1],
  ];
  for (const [fill, contrast] of known)
    it(`is ${contrast}:1 for white on ${fill}`, () => {
      for (const found of contrastsOf(filled(fill))) expect(found).to.be.closeTo(contrast, 0.005);
    });

  const unreadable: readonly (readonly [why: string, style: BadgeStyle, from: string, to: string])[] = [
    ['a lighter fill', 'flat-square', '#886308', '#b5840b'],
    ['a darker text', 'flat', '<g fill="#fff"', '<g fill="#999"'],
    ['a gradient that lightens more', 'flat', 'stop-opacity=".1"', 'stop-opacity=".6"'],
    [
      'a gradient of another colour',
      'plastic',
      'stop-color="#aaa" stop-opacity=".1"',
      'stop-color="#fff" stop-opacity=".4"',
    ],
  ];
  for (const [why, style, from, to] of unreadable)
    it(`is below 4.5:1 with ${why}`, () => {
      const good = badgeImage(certified({}), style, drawFace);
      expect(good).to.include(from);
      expect(Math.min(...contrastsOf(good))).to.be.at.least(4.5);
      expect(Math.min(...contrastsOf(good.replaceAll(from, to)))).to.be.below(4.5);
    });
});

describe('checkBadge', () => {
  const jwt = aJwt();
  const certificate = { credential: aCredential(), jwt };
  const check = (svg: string): string => {
    const read = readBadge(encodeUtf8(svg));
    return read === undefined ? 'unreadable' : checkBadge(read, certificate, drawFace);
  };

  it('accepts each style', () => {
    expect(BADGE_STYLES.map((style) => check(aBadge(jwt, style)))).to.deep.equal(['pass', 'pass', 'pass']);
  });

  it('accepts no badge with any one byte changed', () => {
    const bytes = encodeUtf8(aBadge(jwt));
    const accepted: number[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      const read = readBadge(changed);
      if (read !== undefined && checkBadge(read, certificate, drawFace) === 'pass') accepted.push(at);
    }
    expect(accepted).to.deep.equal([]);
  });

  it('is quick on hostile files', () => {
    for (const piece of ['<orb:certificate ', '<orb:certificate>', '<metadata>', ' renderer="'])
      expect(check(piece.repeat(Math.floor(65_000 / piece.length)))).to.equal('badge_unknown');
  });
});
