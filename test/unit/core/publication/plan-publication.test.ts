import { expect } from 'chai';
import { mayBePublished, planPublication } from '../../../../core/publication/plan-publication.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import type { Plan } from '../../../../core/reconcile/plan.ts';
import { conditionOf, conditionsOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { judgeManifest } from '../../../../core/orb/plan-manifest.ts';
import { PUBLICATION_INDEXES } from '../../../../core/publication/publication-holder.ts';
import { kstatus as kstatusOf } from '../../../support/kstatus.ts';
import { settle } from '../../../support/check-plan.ts';
import { anOrb, aPublication, manifestOf } from '../../../support/kube-objects.ts';

const plan = (publication: KubeObject): Plan =>
  planPublication({ publication, duplicates: [], allowedOrigins: [] }, Date.parse('2026-02-01T10:00:00Z'));

const rounded = (unsafeIntegers: readonly string[]): KubeObject => ({ ...aPublication('echo'), unsafeIntegers });

const published = (status: string, reason: string, generation = 1): KubeObject =>
  aPublication('echo', {
    status: {
      conditions: [
        { type: 'Published', status, reason, message: 'So.', observedGeneration: generation, lastTransitionTime: '' },
      ],
    },
  });

const created = (name: string, at: string): KubeObject => aPublication(name, { metadata: { creationTimestamp: at } });

const reasons = (duplicates: readonly KubeObject[]): readonly (string | undefined)[] =>
  duplicates.map((publication) => {
    const { status } = planPublication({ publication, duplicates, allowedOrigins: [] }, 0);
    return conditionOf({ ...publication, status }, 'Ready')?.reason;
  });

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

  const words: readonly (readonly [string, KubeObject, string, string])[] = [
    ['is Ready when it is published', published('True', 'Published'), 'Published', 'Current'],
    [
      'waits for a word about its own generation',
      published('True', 'Published', 0),
      'AwaitingEvaluation',
      'InProgress',
    ],
    ['stalls with the reason of the pipeline', published('False', 'TestReportStale'), 'TestReportStale', 'Failed'],
    ['waits while the ledger is away', published('False', 'LedgerUnavailable'), 'LedgerUnavailable', 'InProgress'],
  ];
  for (const [what, publication, reason, state] of words)
    it(what, () => {
      const ready = conditionOf({ ...publication, status: plan(publication).status }, 'Ready');
      expect(ready?.reason).to.equal(reason);
      expect(kstatusOf({ ...publication, status: plan(publication).status })).to.equal(state);
    });

  for (const reason of ['NamespaceNotOwned', 'NamespaceUnverified'])
    it(`neither waits nor stalls with ${reason}, which ends without a change of the object`, () => {
      const { status, events } = plan(published('False', reason));
      expect(status?.conditions.map(({ type }) => type)).to.deep.equal(['Ready']);
      expect(events.map(({ type }) => type)).to.deep.equal(['Warning']);
    });

  it('reports nothing again while nothing changes', () => {
    const publication = published('True', 'Published');
    const first = plan(publication);
    const conditions = [...(first.status?.conditions ?? []), ...conditionsOf(publication)];
    const again = plan({ ...publication, status: { ...first.status, conditions } });
    expect([first.events.length, again.events]).to.deep.equal([1, []]);
  });

  describe('of two with one orb_id', () => {
    const [old, young, same] = [
      created('b', '2026-01-01T00:00:00Z'),
      created('a', '2026-01-02T00:00:00Z'),
      created('c', '2026-01-01T00:00:00Z'),
    ];

    it('the oldest holds it, and of equally old ones the first by name', () => {
      expect(reasons([old, young, same])).to.deep.equal(['AwaitingEvaluation', 'OrbIdConflict', 'OrbIdConflict']);
    });

    it('only the holder may be published', () => {
      const may = [old, young].map((publication) =>
        mayBePublished({ publication, duplicates: [old, young], allowedOrigins: [] }),
      );
      expect(may).to.deep.equal([true, false]);
    });

    it('are found by namespace and id', () => {
      const places = [old, aPublication('text', { spec: { manifest: 'x' } })].map(PUBLICATION_INDEXES.orb);
      expect(places).to.deep.equal([['acme/acme.echo@1.0.0'], []]);
    });
  });

  it('may be published with a broken manifest, so that its report says what is wrong, but not with a rounded integer', () => {
    const broken = aPublication('echo', { spec: { ...results, manifest: manifestOf({ provider: 7 }) } });
    const may = [broken, rounded(['/spec/manifest/inputs/text/default'])].map((publication) =>
      mayBePublished({ publication, duplicates: [], allowedOrigins: [] }),
    );
    expect(may).to.deep.equal([true, false]);
  });
});
