import { expect } from 'chai';
import { planPublication } from '../../../../core/publication/plan-publication.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../core/reconcile/plan.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import { settle } from '../../../support/check-plan.ts';
import { anOrb, aPublication, manifestOf } from '../../../support/kube-objects.ts';

const plan = (publication: KubeObject): Plan =>
  planPublication({ publication, duplicates: [], allowedOrigins: [] }, Date.parse('2026-02-01T10:00:00Z'));

const rounded = (unsafeIntegers: readonly string[]): KubeObject => ({ ...aPublication('echo'), unsafeIntegers });

describe('planPublication', () => {
  it('waits for the evaluation, with a reason that who waits can read', () => {
    const { object, kstatus } = settle(aPublication('echo'), 'orb-operator', plan);
    expect(conditionOf(object, 'Ready')).to.include({ status: 'False', reason: 'AwaitingEvaluation' });
    expect(conditionOf(object, 'Reconciling')).to.include({ status: 'True', reason: 'AwaitingEvaluation' });
    expect(kstatus).to.equal('InProgress');
  });

  it('has the digest of the Orb with the same manifest', () => {
    const { object, kstatus } = settle(aPublication('echo'), 'orb-operator', plan);
    const orb = judgeManifest(anOrb('echo'), []);
    expect(statusOf(object)['manifestDigest']).to.equal(orb.kind === 'valid' && orb.digest);
    expect(kstatus).to.equal('InProgress');
  });

  const results = { test_results: {} };
  const rows: readonly [string, unknown, string, RegExp][] = [
    [
      'a broken manifest',
      { ...results, manifest: manifestOf({ provider: 7 }) },
      'ManifestInvalid',
      /^spec\.manifest\.provider: /,
    ],
    [
      'a pin in its manifest',
      { ...results, manifest: manifestOf({ pin: {} }) },
      'ManifestInvalid',
      /^spec\.manifest\.pin: /,
    ],
    ['a manifest that is a text', { ...results, manifest: 'x' }, 'SpecInvalid', /^spec\.manifest: /],
    ['no manifest', results, 'SpecInvalid', /^spec\.manifest: /],
    ['no test results', { manifest: manifestOf() }, 'SpecInvalid', /^spec\.test_results: /],
    ['no spec', undefined, 'SpecInvalid', /^spec: /],
    ['a list', [], 'SpecInvalid', /^spec: /],
  ];
  for (const [why, spec, reason, message] of rows) {
    it(`stalls ${why}`, () => {
      const { object, kstatus } = settle(aPublication('echo', { spec }), 'orb-operator', plan);
      expect(conditionOf(object, 'Ready')).to.include({ status: 'False', reason });
      expect(conditionOf(object, 'Ready')?.message).to.match(message);
      expect(kstatus).to.equal('Failed');
    });
  }

  it('refuses an integer that was rounded in the manifest, not one beside it', () => {
    const inside = settle(rounded(['/spec/manifest/inputs/text/default']), 'orb-operator', plan);
    expect(conditionOf(inside.object, 'Ready')?.reason).to.equal('UnsafeInteger');
    const beside = settle(rounded(['/spec/test_results/x']), 'orb-operator', plan);
    expect(conditionOf(beside.object, 'Ready')?.reason).to.equal('AwaitingEvaluation');
    expect([inside.kstatus, beside.kstatus]).to.deep.equal(['Failed', 'InProgress']);
  });

  it('shows that it is suspended', () => {
    const spec = { ...results, manifest: manifestOf(), suspended: true };
    const { object, plan: made, kstatus } = settle(aPublication('echo', { spec }), 'orb-operator', plan);
    expect(conditionOf(object, 'Ready')).to.include({ status: 'False', reason: 'Suspended' });
    expect(made.events.map(({ type, reason }) => `${type} ${reason}`)).to.deep.equal(['Warning Suspended']);
    expect(kstatus).to.equal('InProgress');
  });
});
