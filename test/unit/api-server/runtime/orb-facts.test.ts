import { expect } from 'chai';
import { OrbFacts } from '../../../../api-server/runtime/orb-facts.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../../../core/orb/compiled-orb.ts';
import { NOT_EVALUATED, type ListedOrb } from '../../../../core/publication/listed-orb.ts';
import { aListedOrb } from '../../../support/a-listed-orb.ts';
import { orbManifest } from '../../../support/orbs.ts';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const DAY_MS = 86_400_000;

function anOrb(): CompiledOrb {
  const manifest: unknown = JSON.parse(orbManifest('acme.echo@1.0.0', { url: 'https://api.example.com/run' }));
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return compiled.value;
}

describe('OrbFacts', () => {
  const orb = anOrb();
  const published = (change: Partial<ListedOrb> = {}): ListedOrb =>
    aListedOrb({
      manifestDigest: orb.digest,
      standing: { ...NOT_EVALUATED, tier: 'silver', score: 71.9, confidence: 'high' },
      publishedAt: NOON - 3 * DAY_MS,
      ...change,
    });

  it('says what is published of the Orb', () => {
    expect(new OrbFacts(() => published()).of(orb, NOON)).to.include({
      orb_id: 'acme.echo@1.0.0',
      tier: 'silver',
      tier_rank: 2,
      score: 71,
      confidence: 'high',
      publisher_verified: true,
      age_days: 3,
    });
  });

  it('says the hosts and the providers of the manifest', () => {
    const facts = new OrbFacts(() => undefined).of(orb, NOON);
    expect([facts['hosts'], facts['providers']]).to.deep.equal([['api.example.com'], ['main']]);
  });

  for (const [why, listed] of [
    ['nothing is published', undefined],
    ['other bytes are published', published({ manifestDigest: `sha256:${'9'.repeat(64)}` })],
  ] as const) {
    it(`calls an Orb uncertified when ${why}`, () => {
      const facts = new OrbFacts(() => listed).of(orb, NOON);
      expect(facts).to.include({ tier: 'uncertified', tier_rank: 0, score: 0, publisher_verified: false });
      expect(facts).to.not.have.property('age_days');
    });
  }

  it('gives the same object until the day, the Orb or its publication changes: kept results hang on it', () => {
    let listed = published();
    const facts = new OrbFacts(() => listed);
    const first = facts.of(orb, NOON);
    expect(facts.of(orb, NOON + 1)).to.equal(first);
    const nextDay = facts.of(orb, NOON + DAY_MS);
    expect(nextDay).to.include({ age_days: 4 });
    listed = published({ standing: { ...NOT_EVALUATED, tier: 'gold' } });
    expect(facts.of(orb, NOON + DAY_MS)).to.include({ tier: 'gold' });
    expect(facts.of(anOrb(), NOON)).to.not.equal(first);
  });
});
