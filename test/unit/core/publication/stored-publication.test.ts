import { expect } from 'chai';
import { checkedSpec, publishedDigest, withoutReports } from '../../../../core/publication/stored-publication.ts';
import { planPublication } from '../../../../core/publication/plan-publication.ts';
import { conditionOf } from '../../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { aPublication, manifestOf } from '../../../support/kube-objects.ts';

const cached = (spec: unknown): KubeObject => withoutReports(aPublication('echo', { spec }));
const FULL = { manifest: manifestOf(), test_results: { results: { tests: [] } }, test_suites: [{ name: 'echo' }] };

const reasonOf = (publication: KubeObject): string | undefined => {
  const { status } = planPublication({ publication, duplicates: [], allowedOrigins: [] }, 0);
  return conditionOf({ ...publication, status }, 'Ready')?.reason;
};

describe('a publication in a cache', () => {
  it('has neither report nor suites, and their digest', () => {
    const publication = cached({ ...FULL, suspended: true });
    expect(publication.spec).to.deep.equal({ manifest: manifestOf(), suspended: true });
    expect(publishedDigest(publication)).to.match(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(publication).length).to.be.below(1000);
  });

  it('has another digest when manifest, report or suites change, and the same when the rest does', () => {
    const changed = [
      { ...FULL, manifest: manifestOf({ description: 'Other.' }) },
      { ...FULL, test_results: {} },
      { ...FULL, test_suites: [] },
    ];
    const digests = [FULL, ...changed].map((spec) => publishedDigest(cached(spec)));
    expect(new Set(digests).size).to.equal(4);
    expect(publishedDigest(cached({ ...FULL, suspended: true }))).to.equal(digests[0]);
  });

  it('is checked as if the report were there', () => {
    expect(checkedSpec(cached(FULL))).to.have.property('test_results');
    expect(reasonOf(cached(FULL))).to.equal('AwaitingEvaluation');
  });

  const faulty: readonly (readonly [string, unknown])[] = [
    ['no report', { manifest: manifestOf() }],
    ['a report that is a text', { manifest: manifestOf(), test_results: 'good' }],
    ['a report that is null', { manifest: manifestOf(), test_results: null }],
    ['suites that are a text', { ...FULL, test_suites: 'all' }],
    ['a suite that is a number', { ...FULL, test_suites: [1] }],
    ['65 suites', { ...FULL, test_suites: Array.from({ length: 65 }, () => ({})) }],
  ];
  for (const [why, spec] of faulty)
    it(`is as invalid as the stored one with ${why}`, () => {
      const kinds = [cached(spec), aPublication('echo', { spec })].map(reasonOf);
      expect(kinds).to.deep.equal(['SpecInvalid', 'SpecInvalid']);
    });

  for (const spec of [undefined, null, 'text', []])
    it(`stays as it is with the spec ${JSON.stringify(spec)}`, () => {
      expect(cached(spec).spec).to.deep.equal(spec);
    });
});
