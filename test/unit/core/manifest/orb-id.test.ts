import { expect } from 'chai';
import fc from 'fast-check';
import manifestSchema from '../../../../crds/schemas/manifest.schema.json' with { type: 'json' };
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { leastCpuMs } from '../../../support/cost.ts';

const accepted: readonly (readonly [why: string, text: string])[] = [
  ['the plain form', 'acme.send-email@1.0.0'],
  ['a name with dots: the org ends at the first', 'acme.mail.send@1.2.3'],
  ['upper case in the name', 'a.B_c@0.0.0'],
  ['prerelease and build', 'a.b@1.0.0-rc.1+build.7'],
  ['a prerelease of hyphens', 'a.b@1.0.0---'],
  ['a build that looks like a number with a zero', 'a.b@1.0.0+001'],
  ['253 characters', `a.${'b'.repeat(245)}@1.0.0`],
];

const refused: readonly (readonly [why: string, text: string])[] = [
  ['nothing', ''],
  ['no org', 'send-email@1.0.0'],
  ['no version', 'acme.send-email'],
  ['a version of two numbers', 'acme.send@1.0'],
  ['a leading zero', 'acme.send@1.01.0'],
  ['a leading zero in a numeric prerelease', 'acme.send@1.0.0-01'],
  ['an empty prerelease', 'acme.send@1.0.0-'],
  ['a v', 'acme.send@v1.0.0'],
  ['an upper-case org', 'Acme.send@1.0.0'],
  ['an org that begins with a hyphen', '-a.send@1.0.0'],
  ['a name that ends with a dot', 'a.b.@1.0.0'],
  ['a slash, which would split the path', 'a.b/c@1.0.0'],
  ['a line break at the end', 'a.b@1.0.0\n'],
  ['254 characters', `a.${'b'.repeat(246)}@1.0.0`],
  ['two versions', 'a.b@1.0.0@2.0.0'],
];

describe('parseOrbId', () => {
  for (const [why, text] of accepted)
    it(`takes ${why}`, () => {
      expect(parseOrbId(text)).to.deep.equal({ ok: true, value: text });
    });

  for (const [why, text] of refused)
    it(`refuses ${why}`, () => {
      expect(parseOrbId(text)).to.deep.equal({ ok: false, code: 'orb-id-malformed', pointer: '' });
    });

  it('agrees with the pattern of the schema', () => {
    const { pattern, maxLength, minLength } = manifestSchema.properties.orb_id;
    const bySchema = new RegExp(pattern, 'u');
    const piece = fc.constantFrom('a', 'B', '0', '1', '01', '.', '-', '+', '@', '_', '1.0.0', 'a.b@1.0.0', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const fits = text.length >= minLength && text.length <= maxLength && bySchema.test(text);
        expect(parseOrbId(text).ok).to.equal(fits);
      }),
    );
  });

  it('is linear in hostile text', () => {
    const hostile = `a.${'-'.repeat(1_000_000)}`;
    const ms = leastCpuMs(() => void parseOrbId(hostile));
    expect(parseOrbId(hostile).ok).to.equal(false);
    expect(ms).to.be.lessThan(50);
  });
});
