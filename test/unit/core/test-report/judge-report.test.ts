import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import type { CitedReceipt } from '../../../../core/test-report/judge-receipts.ts';
import type { TestJudgement } from '../../../../core/test-report/judge-report.ts';
import { aSuite, liveCase } from '../../../support/suites.ts';
import {
  NOW,
  MOCKS,
  OTHER,
  RECEIPT,
  STARTED,
  changed,
  digestOf,
  judged,
  live,
  receipt,
  report,
  result,
  salt,
} from '../../../support/test-reports.ts';

const DAY = 24 * 3600 * 1000;
const found = ({ findings }: TestJudgement): readonly string[] =>
  findings.map(({ code, pointer }) => `${code} ${pointer}`);
const summary = ['results', 'summary'];
const test = (index: number): readonly (string | number)[] => ['results', 'tests', index];
const good = report([...MOCKS, live()]);
const at = (index: number): string => `/test_results/results/tests/${index}`;
const RECEIPT_AT = `${at(2)}/extra/orb/receipt_id`;
const isReadable = (value: unknown): boolean => readJson(Buffer.from(JSON.stringify(value))).ok;

describe('judgeTests', () => {
  it('accepts a good report, whose live case cites its own receipt', async () => {
    const { ok, findings, report: read, audit } = await judged();
    expect([ok, findings, audit]).to.deep.equal([true, [], { checked: 1, invalid: 0 }]);
    expect(read).to.deep.include({
      required: 3,
      passed: 3,
      provenance: 'receipted',
      testedAt: '2026-11-20T11:59:59.000Z',
    });
    expect(read?.suiteDigest).to.equal(digestOf([aSuite()]));
    expect(read?.sha256).to.match(/^[0-9a-f]{64}$/);
  });

  const texts: readonly (readonly [why: string, text: JsonValue, findings: readonly string[]])[] = [
    ['no report', [], ['test-report-invalid /test_results']],
    ['another format', changed(good, ['reportFormat'], 'JUnit'), ['test-report-invalid /test_results/reportFormat']],
    ['an unknown member', changed(good, ['results', 'stats'], 1), ['test-report-invalid /test_results/results/stats']],
    ['an id that is no UUID', changed(good, [...test(0), 'id'], 'x'), [`test-report-invalid ${at(0)}/id`]],
    [
      'no word about the Orb',
      changed(good, ['results', 'extra'], {}),
      ['test-report-invalid /test_results/results/extra/orb'],
    ],
    [
      'an unknown member of ours',
      changed(good, [...test(0), 'extra', 'orb', 'receipt'], 'x'),
      [`test-report-invalid ${at(0)}/extra/orb/receipt`],
    ],
    [
      'a salt of another length',
      changed(good, [...test(2), 'extra', 'orb', 'openings', 'input_salt'], 'x'),
      [`test-report-invalid ${at(2)}/extra/orb/openings/input_salt`],
    ],
    [
      'a case under the name of another test',
      changed(good, [...test(0), 'extra', 'orb', 'case'], 'echo/x'),
      [`test-report-invalid ${at(0)}/extra/orb/case`],
    ],
    [
      'another mode than the suite says',
      changed(good, [...test(0), 'extra', 'orb', 'mode'], 'live'),
      [`test-report-invalid ${at(0)}/extra/orb/mode`],
    ],
    [
      'a time beyond all calendars',
      changed(good, [...summary, 'start'], -9e15),
      ['test-report-invalid /test_results/results/summary'],
    ],
    [
      'a count that is wrong',
      changed(good, [...summary, 'passed'], 2),
      ['test-summary-mismatch /test_results/results/summary/passed'],
    ],
    [
      'a sum that is wrong',
      changed(good, [...summary, 'tests'], 4),
      ['test-summary-mismatch /test_results/results/summary/tests'],
    ],
    [
      'an end before the start',
      changed(good, [...summary, 'start'], NOW),
      ['test-summary-mismatch /test_results/results/summary/stop', `test-receipt-mismatch ${RECEIPT_AT}`],
    ],
    [
      'another Orb',
      changed(good, ['results', 'extra', 'orb', 'orb_id'], 'acme.x@1.0.0'),
      ['test-digest-mismatch /test_results/results/extra/orb/orb_id'],
    ],
    [
      'other bytes of the manifest',
      changed(good, ['results', 'extra', 'orb', 'manifest_digest'], `sha256:${'0'.repeat(64)}`),
      ['test-digest-mismatch /test_results/results/extra/orb/manifest_digest'],
    ],
    [
      'other suites',
      changed(good, ['results', 'extra', 'orb', 'suite_digest'], null),
      ['suite-digest-mismatch /test_results/results/extra/orb/suite_digest'],
    ],
    ['a test twice', report([...MOCKS, live(), result('down')]), [`test-duplicate ${at(3)}/name`]],
    [
      'a required case that is missing',
      report([result('echo'), live()]),
      ['test-required-missing /test_results/results/tests'],
    ],
    [
      'a required case that was skipped',
      report([...MOCKS, live({ status: 'skipped' })]),
      [`test-required-not-passed ${at(2)}/status`],
    ],
    [
      'a mock case that ends differently',
      report([result('echo', { status: 'failed' }), result('down'), live()]),
      [`test-required-not-passed ${at(0)}/status`, `suite-mock-not-reproduced ${at(0)}/status`],
    ],
    [
      'a receipt twice',
      report([
        result('echo', {
          receiptId: RECEIPT,
          openings: { input_salt: salt, output_salt: salt, outputs: { text: 'hi' } },
        }),
        result('down'),
        live(),
      ]),
      [`test-receipt-reused ${RECEIPT_AT}`],
    ],
    [
      'a receipt without opening',
      report([...MOCKS, live({ openings: { input_salt: salt } })]),
      [`test-receipt-mismatch ${RECEIPT_AT}`],
    ],
    [
      'an id that is no receipt',
      report([...MOCKS, live({ receiptId: 'rcpt_x' })]),
      [`test-receipt-invalid ${RECEIPT_AT}`],
    ],
    ['an unknown receipt', report([...MOCKS, live({ receiptId: OTHER })]), [`test-receipt-invalid ${RECEIPT_AT}`]],
  ];
  for (const [why, text, findings] of texts)
    it(`refuses ${why}`, async () => {
      const judgement = await judged({ report: text });
      expect(found(judgement)).to.deep.equal(findings);
      expect([judgement.ok, judgement.report?.provenance ?? 'self_reported']).to.deep.equal([false, 'self_reported']);
    });

  const times: readonly (readonly [why: string, now: number, accepted: boolean, codes: readonly string[]])[] = [
    ['of 7 days', NOW - 1000 + 7 * DAY, false, []],
    ['of more than 7 days', NOW + 7 * DAY, false, ['test-report-stale /test_results/results/summary/stop']],
    ['of more than 7 days that was accepted before', NOW + 7 * DAY, true, []],
    ['from 5 minutes ahead', NOW - 1000 - 5 * 60_000, false, []],
    ['from later than that', NOW - 2000 - 5 * 60_000, false, ['test-report-future /test_results/results/summary/stop']],
  ];
  for (const [why, now, accepted, codes] of times)
    it(`judges a report ${why}`, async () => {
      expect(found(await judged({ now, accepted }))).to.deep.equal(codes);
    });

  const receipts: readonly (readonly [why: string, cited: CitedReceipt, code: string, invalid: number])[] = [
    ['does not verify', receipt({ verified: false }), 'test-receipt-invalid', 0],
    [
      'is of another digest',
      receipt({ orb: { manifest_digest: `sha256:${'1'.repeat(64)}` } }),
      'test-receipt-mismatch',
      0,
    ],
    [
      'started before the report',
      receipt({ execution: { started_at: new Date(STARTED - 1).toISOString() } }),
      'test-receipt-mismatch',
      0,
    ],
    ['has another outcome', receipt({ execution: { outcome: 'timeout' } }), 'test-receipt-mismatch', 0],
    ['has other inputs', receipt({ inputs: { text: 'ho' } }), 'test-receipt-mismatch', 1],
  ];
  for (const [why, cited, code, invalid] of receipts)
    it(`refuses a receipt that ${why}`, async () => {
      const judgement = await judged({ receipts: { [RECEIPT]: cited } });
      expect(found(judgement)).to.deep.equal([`${code} ${RECEIPT_AT}`]);
      expect(judgement.audit).to.deep.equal({ checked: 1, invalid });
    });

  it('refuses disclosed outputs that do not meet the case, or do not fit the receipt', async () => {
    const wrong = live({ openings: { input_salt: salt, output_salt: salt, outputs: { text: '' } } });
    const { findings, audit } = await judged({ report: report([...MOCKS, wrong]) });
    expect(findings[0]?.detail).to.include('does not fit its commitment').and.to.include('at least 1');
    expect(audit).to.deep.equal({ checked: 1, invalid: 1 });
  });

  it('says of a foreign receipt only that it does not fit', async () => {
    const foreign = receipt({ own: false, execution: { outcome: 'timeout' } });
    const { findings } = await judged({ receipts: { [RECEIPT]: foreign } });
    expect(findings.map(({ detail }) => detail)).to.deep.equal(['The receipt does not fit the case echo/live.']);
  });

  it('cites at most 200 receipts', async () => {
    const tests = Array.from({ length: 201 }, (_, index) => result(`t${index}`, { receiptId: RECEIPT }));
    expect(found(await judged({ report: report(tests) }))).to.deep.equal([
      'test-report-invalid /test_results/results/tests',
    ]);
  });

  it('reads at most 2000 tests', async () => {
    const tests = Array.from({ length: 2001 }, (_, index) => result(`t${index}`));
    expect(found(await judged({ report: report(tests) }))).to.deep.equal([
      'test-report-invalid /test_results/results/tests',
    ]);
  });

  it('gives at most 100 findings', async () => {
    const tests = Array.from({ length: 300 }, (_, index) => result(`t${index}`, { status: 'failed' }));
    expect((await judged({ suites: [], report: report(tests, []) })).findings).to.have.length(100);
  });

  it('gives findings of bad suites with their place in the body, and reads no receipt', async () => {
    const pattern = liveCase({ expect: { status: 'completed', outputs: { text: { schema: { pattern: 'a' } } } } });
    const judgement = await judged({ suites: [aSuite(), aSuite({ name: 'b', cases: [pattern] })] });
    expect(found(judgement)).to.deep.equal([
      'suite-schema-keyword /test_suites/1/cases/0/expect/outputs/text/schema/pattern',
    ]);
    expect([judgement.report, judgement.audit]).to.deep.equal([undefined, undefined]);
  });

  it('refuses suites that no thread could run to the end', async () => {
    const judgement = await judged({
      runCases: async () => ({ kind: 'stopped', why: 'they take more than 2000 ms of the processor' }),
    });
    expect(found(judgement)).to.deep.equal(['suite-mock-not-reproduced /test_suites']);
  });

  it('requires every test of a report without suites', async () => {
    const without = report([...MOCKS, live()], []);
    const { ok, report: read } = await judged({ suites: undefined, report: without });
    expect([ok, read?.provenance, read?.suiteDigest, read?.required, read?.passed]).to.deep.equal([
      true,
      'self_reported',
      null,
      3,
      3,
    ]);
    const failing = report([result('echo', { status: 'failed' })], []);
    expect(found(await judged({ suites: [], report: failing }))).to.deep.equal([
      `test-required-not-passed ${at(0)}/status`,
    ]);
    expect(found(await judged({ suites: [], report: report([], []) }))).to.deep.equal([
      'test-required-missing /test_results/results/tests',
    ]);
  });

  it('never throws, whatever the report is', async () => {
    const paths = [
      ['results'],
      ['results', 'tests'],
      [...test(2)],
      [...test(2), 'extra', 'orb'],
      summary,
      ['results', 'extra', 'orb'],
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.jsonValue().filter(isReadable), async (path, value) => {
        const { findings, ok } = await judged({ report: changed(good, path, value) });
        expect(ok).to.equal(findings.length === 0);
        for (const { pointer } of findings) expect(pointer).to.match(/^(?:$|\/test_results)/);
      }),
    );
  });
});
