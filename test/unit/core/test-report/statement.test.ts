import { expect } from 'chai';
import { jcs } from '../../../../core/json/jcs.ts';
import { sealStatement, testResultStatement } from '../../../../core/test-report/statement.ts';
import { aSuite, liveCase, mockCase } from '../../../support/suites.ts';
import { judged, live, orb, report, result } from '../../../support/test-reports.ts';

describe('testResultStatement', () => {
  it('is an in-toto test result of the manifest, with the suites as configuration', async () => {
    const { report: read } = await judged();
    if (read === undefined) throw new Error('not read');
    const statement = testResultStatement(orb, read);
    expect(statement).to.deep.equal({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'acme.echo@1.0.0', digest: { sha256: orb.digest.slice(7) } }],
      predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
      predicate: {
        result: 'PASSED',
        configuration: [{ name: 'suites', digest: { sha256: read.suiteDigest?.slice(7) } }],
        passedTests: ['echo/echo', 'echo/down', 'echo/live'],
        warnedTests: [],
        failedTests: [],
      },
    });
    expect(sealStatement(statement, (payload, type) => `${type} ${payload}`)).to.equal(
      `orb-test-result+jws ${jcs(statement)}`,
    );
  });

  it('warns of a case that is not required and has not passed', async () => {
    const suites = [aSuite({ cases: [mockCase(), liveCase({ required: false })] })];
    const { report: read } = await judged({
      suites,
      report: report([result('echo'), live({ status: 'failed' })], suites),
    });
    if (read === undefined) throw new Error('not read');
    expect(testResultStatement(orb, read)['predicate']).to.deep.include({
      result: 'WARNED',
      warnedTests: ['echo/live'],
    });
  });
});
