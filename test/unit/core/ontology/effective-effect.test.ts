import { expect } from 'chai';
import fc from 'fast-check';
import { effectiveEffect, isWeaker } from '../../../../core/ontology/effective-effect.ts';
import type { Effect } from '../../../../core/ontology/ontology.ts';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import { aManifest } from '../manifest/a-manifest.ts';

const rows: readonly [why: string, effect: Effect | undefined, capabilities: readonly string[] | undefined, Effect][] =
  [
    ['without effect and capabilities', undefined, undefined, 'reversible'],
    ['with an empty list of capabilities', undefined, [], 'reversible'],
    ['with a private capability alone', undefined, ['x-acme.pay'], 'reversible'],
    ['with an unknown capability alone', undefined, ['constructor'], 'reversible'],
    ['with a capability that leaves nothing', undefined, ['text.classify'], 'none'],
    ['with a capability that leaves nothing, and a private one', undefined, ['text.classify', 'x-acme.pay'], 'none'],
    ['with several capabilities', undefined, ['record.write', 'payment.charge', 'text.classify'], 'irreversible'],
    ['that is declared', 'none', undefined, 'none'],
    ['that is declared stronger', 'irreversible', ['text.classify'], 'irreversible'],
    ['that is declared weaker', 'none', ['payment.charge'], 'none'],
  ];

describe('effectiveEffect', () => {
  for (const [why, effect, capabilities, expected] of rows)
    it(`${why} is ${expected}`, () => {
      const manifest = { ...(effect && { effect }), ...(capabilities && { capabilities }) };
      expect(effectiveEffect(manifest)).to.equal(expected);
    });

  it('is that of the strongest known capability, in any order', () => {
    const names = Object.keys(ORB_ONTOLOGY.capabilities);
    fc.assert(
      fc.property(fc.subarray(names, { minLength: 1, maxLength: 8 }), (capabilities) => {
        const found = effectiveEffect({ capabilities });
        expect(effectiveEffect({ capabilities: capabilities.toReversed() })).to.equal(found);
        const minimums = capabilities.map((name) => ORB_ONTOLOGY.capabilities[name]?.effect ?? 'none');
        expect(minimums).to.include(found);
        expect(minimums.filter((minimum) => isWeaker(found, minimum))).to.deep.equal([]);
      }),
    );
  });

  it('is computed when a manifest is compiled, and never filled in', () => {
    const manifest = aManifest({ method: 'POST' }, { capabilities: ['message.chat.post'] });
    const compiled = compileOrb(manifest, { namespace: 'default', allowedOrigins: [] });
    if (!compiled.ok) throw new Error('the manifest is valid');
    expect(compiled.value.effect).to.equal('irreversible');
    expect(compiled.value.manifest).to.not.have.property('effect');
    expect(compiled.value.jcs).to.not.include('effect');
  });
});
