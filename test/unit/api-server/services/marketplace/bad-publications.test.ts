import { expect } from 'chai';
import type { JsonValue } from '../../../../../core/json/json-value.ts';
import type { JudgeTools } from '../../../../../core/test-report/judge-report.ts';
import { doCaseWork } from '../../../../../core/suite/case-work.ts';
import {
  aJudgingMarketplace,
  ERASED,
  errorsOf,
  OTHER_BYTES,
  type JudgingMarketplace,
} from '../../../../support/a-judging-marketplace.ts';
import { aSuite, echoManifest, liveCase, mockCase } from '../../../../support/suites.ts';
import { changed, live, MOCKS, NOW, OTHER, report, result, salt } from '../../../../support/test-reports.ts';

const PATH = '/marketplace/orbs/publish';
const DAY_MS = 86_400_000;

type Members = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** No case cites a receipt: nothing at all may be written. */
const UNCITED = [aSuite({ cases: [mockCase(), mockCase({ id: 'down' })] })];
const uncited = report(MOCKS, UNCITED);
const body = (members: Members = {}): Members => ({
  manifest: echoManifest(),
  test_results: uncited,
  test_suites: UNCITED,
  ...members,
});
const ofManifest = (members: Members): Members => body({ manifest: echoManifest(members) });
const ofReport = (results: Parameters<typeof report>[0]): Members => body({ test_results: report(results, UNCITED) });
const ofSuite = (item: Members): Members => body({ test_suites: [aSuite({ cases: [item] })] });
const moved = (path: Path, to: unknown): Members => body({ test_results: changed(uncited, path, to) });
const stopped = (ms: number): Members => {
  const started = changed(uncited, ['results', 'summary', 'start'], ms - 1);
  return body({ test_results: changed(started, ['results', 'summary', 'stop'], ms) });
};
/** A body whose live case cites receipts: their `audit` entry is written. */
const citing = (testResults: JsonValue): Members => body({ test_results: testResults, test_suites: [aSuite()] });

const SUMMARY = '/test_results/results/summary';
const TESTS = '/test_results/results/tests';
const OF_ORB = '/test_results/results/extra/orb';
const ID = '/manifest/orb_id';
const CASE = '/test_suites/0/cases/0';
const CITED = `${TESTS}/2/extra/orb/receipt_id`;
const token = ['Bearer ghp', 'a1B2'.repeat(9)].join('_');
const zeros = `sha256:${'0'.repeat(64)}`;
const manyCases = Array.from({ length: 201 }, (_, number) => mockCase({ id: `c${number}` }));
const pattern = { status: 'completed', outputs: { text: { schema: { pattern: '(a+)+$' } } } };
const opened = { input_salt: salt, output_salt: salt, outputs: { text: 'hi' } };
const term = { text: { type: 'string', required: true, term: 'no-such-term' } };

describe('a bad publication (trust.md §8.4, §8.5)', () => {
  let market: JudgingMarketplace;
  let runCases: JudgeTools['runCases'];
  before(async () => {
    runCases = async (work) => ({ kind: 'done', result: doCaseWork(work) });
    market = await aJudgingMarketplace((work) => runCases(work));
  });
  after(() => market.close());

  const invalid: readonly (readonly [why: string, content: Members, error: string])[] = [
    ['a manifest that is none', body({ manifest: 7 }), 'schema-type /manifest'],
    ['an unknown term', ofManifest({ inputs: term }), 'ontology-unknown-term /manifest/inputs/text/term'],
    [
      'an understated effect',
      ofManifest({ capabilities: ['message.chat.post'], effect: 'none' }),
      'ontology-effect-understated /manifest/effect',
    ],
    ['a report in another format', moved(['reportFormat'], 'JUnit'), 'test-report-invalid /test_results/reportFormat'],
    [
      'a digest of other bytes',
      moved(['results', 'extra', 'orb', 'manifest_digest'], zeros),
      `test-digest-mismatch ${OF_ORB}/manifest_digest`,
    ],
    [
      'a digest of other suites',
      moved(['results', 'extra', 'orb', 'suite_digest'], zeros),
      `suite-digest-mismatch ${OF_ORB}/suite_digest`,
    ],
    ['a report that is stale', stopped(NOW - 7 * DAY_MS - 1), `test-report-stale ${SUMMARY}/stop`],
    ['a report from the future', stopped(NOW + 6 * 60_000), `test-report-future ${SUMMARY}/stop`],
    ['a test that is duplicated', ofReport([...MOCKS, result('down')]), `test-duplicate ${TESTS}/2/name`],
    ['a wrong summary', moved(['results', 'summary', 'passed'], 1), `test-summary-mismatch ${SUMMARY}/passed`],
    ['a required case that is missing', ofReport([result('echo')]), `test-required-missing ${TESTS}`],
    [
      'a required case that was skipped',
      ofReport([result('echo'), result('down', { status: 'skipped' })]),
      `test-required-not-passed ${TESTS}/1/status`,
    ],
    [
      'a suite with a pattern',
      ofSuite(liveCase({ expect: pattern })),
      `suite-schema-keyword ${CASE}/expect/outputs/text/schema/pattern`,
    ],
    ['201 cases', body({ test_suites: [aSuite({ cases: manyCases })] }), 'suite-invalid /test_suites/0/cases'],
    [
      'a suite of 300 KiB',
      ofSuite(mockCase({ inputs: { text: 'x'.repeat(300 * 1024) } })),
      'suite-invalid /test_suites/0',
    ],
    [
      'a suite with a credential',
      ofSuite(mockCase({ inputs: { text: token } })),
      `suite-secret-literal ${CASE}/inputs/text`,
    ],
  ];
  const refused: readonly (readonly [why: string, content: unknown, status: number, code: string, pointer: string])[] =
    [
      ['a foreign organisation', ofManifest({ orb_id: 'globex.echo@1.0.0' }), 403, 'namespace-not-owned', ID],
      ['an organisation without proof', ofManifest({ orb_id: 'initech.echo@1.0.0' }), 403, 'namespace-unverified', ID],
      ['build metadata', ofManifest({ orb_id: 'acme.echo@1.0.0+b1' }), 409, 'version-build-metadata', ID],
      ['other bytes of a published version', ofManifest({ orb_id: 'acme.old@1.0.0' }), 409, 'version-immutable', ID],
      ['a tombstone', ofManifest({ orb_id: 'acme.gone@1.0.0' }), 409, 'version-tombstoned', ID],
    ];
  const rows = [
    ...invalid.map(([why, content, error]) => [why, content, 422, 'validation-failed', error] as const),
    ...refused.map(([why, content, status, code, at]) => [why, content, status, code, `${code} ${at}`] as const),
  ];
  for (const [why, content, status, code, error] of rows)
    it(`${why}: ${status} ${error}, and nothing is written`, async () => {
      const [answer, kinds] = await market.send('POST', PATH, { content });
      expect([answer.status, answer.code, errorsOf(answer), kinds]).to.deep.equal([status, code, [error], []]);
      expect(answer.value).to.have.nested.property('validation_report.valid', false);
    });

  it('an endless mock: 422 suite-mock-not-reproduced /test_suites, and nothing is written', async () => {
    const usual = runCases;
    runCases = async () => ({ kind: 'stopped', why: 'they take more than 2000 ms of the processor' });
    const [answer, kinds] = await market.send('POST', PATH, { content: body() }).finally(() => {
      runCases = usual;
    });
    expect([answer.status, errorsOf(answer), kinds]).to.deep.equal([
      422,
      ['suite-mock-not-reproduced /test_suites'],
      [],
    ]);
  });

  it('cases that the platform could not run: 503 overloaded, which says nothing about them, and nothing is written', async () => {
    const usual = runCases;
    runCases = async () => ({ kind: 'unavailable', why: 'their thread did not start' });
    const [answer, kinds] = await market.send('POST', PATH, { content: body() }).finally(() => {
      runCases = usual;
    });
    expect([answer.status, answer.code, kinds]).to.deep.equal([503, 'overloaded', []]);
    expect(answer.headers.get('retry-after')).to.equal('1');
  });

  const audited: readonly (readonly [why: string, report: JsonValue, error: string, invalid: number])[] = [
    [
      'a receipt of another digest',
      report([...MOCKS, live({ receiptId: OTHER_BYTES })]),
      `test-receipt-mismatch ${CITED}`,
      0,
    ],
    [
      'a receipt that is reused',
      report([result('echo', { receiptId: OTHER, openings: opened }), result('down'), live({ receiptId: OTHER })]),
      `test-receipt-reused ${CITED}`,
      0,
    ],
    ['a receipt that is unknown', report([...MOCKS, live({ receiptId: OTHER })]), `test-receipt-invalid ${CITED}`, 0],
    ['a receipt that was erased', report([...MOCKS, live({ receiptId: ERASED })]), `test-receipt-invalid ${CITED}`, 0],
    [
      'an opening that does not fit',
      report([...MOCKS, live({ openings: { ...opened, outputs: { text: 'forged' } } })]),
      `test-receipt-mismatch ${CITED}`,
      1,
    ],
  ];
  for (const [why, testResults, error, wrong] of audited)
    it(`${why}: 422 ${error}, and an audit entry alone is written, once`, async () => {
      const content = citing(testResults);
      const size = await market.ledger.logSize();
      for (const path of [`${PATH}?dry_run=true`, PATH, PATH]) {
        const [answer] = await market.send('POST', path, { content });
        expect([answer.status, answer.code]).to.deep.equal([422, 'validation-failed']);
        expect(errorsOf(answer)).to.include(error);
      }
      const entries = await market.ledger.entries(size, size + 9);
      expect(entries).to.have.length(1);
      expect(JSON.parse(entries[0] ?? '')).to.include({ kind: 'audit', orb_id: 'acme.echo@1.0.0', invalid: wrong });
    });
});
