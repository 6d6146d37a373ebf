import { expect } from 'chai';
import { reportFinding } from '../../../../core/publication/report-finding.ts';

describe('reportFinding', () => {
  const finding = {
    severity: 'error',
    code: 'ontology-unknown-term',
    pointer: '/capabilities/0',
    detail: 'Why.',
  } as const;

  it('points into the body of the request, and says where the code is explained', () => {
    expect(reportFinding({ ...finding, suggestion: 'text.translate', line: 3, column: 1 }, '/manifest')).to.deep.equal({
      severity: 'error',
      code: 'ontology-unknown-term',
      pointer: '/manifest/capabilities/0',
      message: 'Why.',
      suggestion: 'text.translate',
      rule_url: 'https://orbs.dev/problems/ontology-unknown-term',
    });
  });

  it('leaves a suggestion out that is not there', () => {
    expect(reportFinding(finding, '')).to.not.have.property('suggestion');
    expect(reportFinding(finding, '').pointer).to.equal('/capabilities/0');
  });
});
