import { expect } from 'chai';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import {
  evaluationStatus,
  LEDGER_AWAY_RESULT,
  publishedResult,
  refusedResult,
  storedResult,
  type PublicationFacts,
} from '../../../../core/publication/evaluation-status.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { conditionOf, statusOf } from '../../../../core/reconcile/read-object.ts';
import { checkStatus } from '../../../support/check-status.ts';
import { aListedOrb } from '../../../support/a-listed-orb.ts';
import { aPublication } from '../../../support/kube-objects.ts';

const finding = (members: JsonObject = {}): JsonObject => ({
  severity: 'error',
  code: 'test-required-missing',
  pointer: '/test_results',
  message: 'Run it.',
  rule_url: 'https://orbs.dev/problems/test-required-missing',
  ...members,
});

const report = (findings: readonly JsonObject[] = []): JsonObject => ({
  valid: findings.length === 0,
  orb_id: 'acme.echo@1.0.0',
  manifest_digest: null,
  ontology: { id: 'orb-ontology', version: '1.0.0' },
  stages: [{ id: 'schema', status: 'passed' }],
  tests: { required: 1, passed: 1, provenance: 'receipted', suite_digest: null },
  findings: [...findings],
});

const BRONZE = { tier: 'bronze', tierStatus: 'stable', score: 40, scoreBp: 4000, confidence: 'low' } as const;

const facts = (members: Partial<PublicationFacts> = {}): PublicationFacts => ({
  result: publishedResult(report()),
  orb: aListedOrb({ standing: BRONZE }),
  certificate: { sha256: 'ab'.repeat(32), validUntil: '2026-12-01T00:00:00Z' },
  hasOrb: true,
  ...members,
});

const written = (members: Partial<PublicationFacts> = {}, generation = 1): KubeObject => {
  const publication = aPublication('echo', { metadata: { generation } });
  return { ...publication, status: evaluationStatus(publication, facts(members), 0) };
};
const findingsOf = (object: KubeObject): readonly unknown[] => {
  const { validationReport } = statusOf(object);
  const findings = isJsonObject(validationReport) ? validationReport['findings'] : undefined;
  return Array.isArray(findings) ? findings : [];
};

describe('the evaluation part of a publication’s status', () => {
  it('shows tier, score, listing and certificate of a published version', () => {
    const object = written();
    expect(statusOf(object)).to.deep.include({
      certificationTier: 'bronze',
      tierStatus: 'stable',
      reputationScore: 40,
      confidence: 'low',
      listing: 'active',
      logIndex: 7,
      certificate: { sha256: 'ab'.repeat(32), validUntil: '2026-12-01T00:00:00Z' },
    });
    const reasons = ['Published', 'Certified', 'OrbMatches'].map((type) => conditionOf(object, type)?.reason);
    expect(reasons).to.deep.equal(['Published', 'Certified', 'OrbApplied']);
    expect(checkStatus('OrbPublication', object)).to.deep.equal([]);
  });

  it('says that a version has no tier yet, and that its namespace lacks the Orb', () => {
    const object = written({ orb: aListedOrb(), certificate: undefined, hasOrb: false });
    const states = ['Certified', 'OrbMatches'].map((type) => conditionOf(object, type)?.status);
    expect([states, statusOf(object)['certificate']]).to.deep.equal([['False', 'False'], undefined]);
    expect(findingsOf(object)).to.have.lengthOf(1);
    expect(findingsOf(object)[0]).to.include({ severity: 'info', code: 'orb-not-applied' });
    expect(checkStatus('OrbPublication', object)).to.deep.equal([]);
  });

  it('takes the finding about the Orb away when it is there, from its own earlier result too', () => {
    const before = written({ hasOrb: false });
    const result = storedResult(before);
    if (result === undefined) throw new TypeError('no result');
    expect(findingsOf(written({ result }))).to.deep.equal([]);
    expect(findingsOf(written({ result, hasOrb: false }))).to.have.lengthOf(1);
  });

  const refusals: readonly (readonly [string, readonly JsonObject[], string])[] = [
    ['namespace-not-owned', [], 'NamespaceNotOwned'],
    ['version-immutable', [], 'VersionImmutable'],
    ['validation-failed', [finding({ severity: 'warning', code: 'a-b' }), finding()], 'TestRequiredMissing'],
    ['validation-failed', [finding({ code: 'schema-additionalProperties' })], 'SchemaAdditionalProperties'],
  ];
  for (const [code, findings, reason] of refusals)
    it(`names ${reason} as the reason of ${code}`, () => {
      const object = written({ result: refusedResult(code, report(findings), 'Because.'), orb: undefined });
      expect(conditionOf(object, 'Published')).to.include({ status: 'False', reason, message: 'Because.' });
      expect([conditionOf(object, 'Certified'), statusOf(object)['certificationTier']]).to.deep.equal([
        undefined,
        undefined,
      ]);
      expect(checkStatus('OrbPublication', object)).to.deep.equal([]);
    });

  it('explains a refused report by its errors alone', () => {
    const { message } = refusedResult(
      'validation-failed',
      report([finding(), finding({ severity: 'info' })]),
      undefined,
    );
    expect(message).to.equal('spec.test_results: Run it. (test-required-missing)');
  });

  it('fits the schema with a report of any size', () => {
    const long = finding({ pointer: `/${'p'.repeat(5000)}`, message: 'm'.repeat(5000), suggestion: 's'.repeat(500) });
    const many = Array.from({ length: 80 }, () => long);
    const refused = written({ result: refusedResult('validation-failed', report(many), undefined), orb: undefined });
    const published = written({
      result: publishedResult(report(many.map((one) => ({ ...one, severity: 'info' })))),
      hasOrb: false,
    });
    for (const object of [refused, published]) {
      expect(checkStatus('OrbPublication', object)).to.deep.equal([]);
      expect(findingsOf(object)).to.have.lengthOf(50);
    }
    expect(findingsOf(published).at(-1)).to.include({ code: 'orb-not-applied' });
  });

  it('has no report while the ledger is away', () => {
    const object = written({ result: LEDGER_AWAY_RESULT, orb: undefined });
    expect(conditionOf(object, 'Published')?.reason).to.equal('LedgerUnavailable');
    expect(statusOf(object)['validationReport']).to.equal(undefined);
  });

  it('is a result about its own generation only', () => {
    const object = written();
    expect(storedResult(object)).to.include({ isPublished: true, reason: 'Published' });
    const edited = { ...object, metadata: { ...object.metadata, generation: 2 } };
    expect(storedResult(edited)).to.equal(undefined);
  });
});
