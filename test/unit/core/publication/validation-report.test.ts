import { expect } from 'chai';
import type { Finding } from '../../../../core/manifest/finding.ts';
import { below, STAGES, validationReport, type ReportFacts } from '../../../../core/publication/validation-report.ts';

const finding: Finding = {
  severity: 'error',
  code: 'ontology-unknown-term',
  pointer: '/capabilities/0',
  detail: 'No such term.',
  suggestion: 'text.translate',
};
const facts: ReportFacts = {
  orbId: 'acme.echo@1.2.0',
  manifestDigest: 'sha256:00',
  ontology: { id: 'orb-ontology', version: '1.0.0' },
  passed: ['schema'],
  tests: null,
  findings: below('/manifest', [finding]),
};

describe('validationReport', () => {
  it('has the form of the reference', () => {
    expect(validationReport({ ...facts, failed: 'ontology' })).to.deep.equal({
      valid: false,
      orb_id: 'acme.echo@1.2.0',
      manifest_digest: 'sha256:00',
      ontology: { id: 'orb-ontology', version: '1.0.0' },
      stages: [
        { id: 'schema', status: 'passed' },
        { id: 'ontology', status: 'failed' },
        ...['namespace', 'version', 'tests', 'verification', 'listing'].map((id) => ({ id, status: 'not_run' })),
      ],
      tests: null,
      findings: [
        {
          severity: 'error',
          code: 'ontology-unknown-term',
          pointer: '/manifest/capabilities/0',
          message: 'No such term.',
          suggestion: 'text.translate',
          rule_url: 'https://orbs.dev/problems/ontology-unknown-term',
        },
      ],
    });
  });

  it('is valid when no stage failed, and says what the tests showed', () => {
    const tests = { required: 24, passed: 24, provenance: 'receipted', suiteDigest: null } as const;
    const report = validationReport({ ...facts, passed: STAGES, tests });
    expect(report).to.deep.include({
      valid: true,
      tests: { required: 24, passed: 24, provenance: 'receipted', suite_digest: null },
    });
  });
});

describe('below', () => {
  it('points into the whole body, also for the part as a whole', () => {
    const pointers = below('/test_suites/3', [{ ...finding, pointer: '' }, finding]).map(({ pointer }) => pointer);
    expect(pointers).to.deep.equal(['/test_suites/3', '/test_suites/3/capabilities/0']);
  });
});
