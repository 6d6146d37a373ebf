import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering } from '../../../support/cli-server.ts';
import { at, textAt } from '../../../support/members.ts';
import { aSuite, compiled, echoManifest, jsonOf, liveCase, mockCase } from '../../../support/suites.ts';

const manifest = echoManifest();
const { orbId, digest } = compiled(manifest);
const mocks = aSuite({
  cases: [
    mockCase(),
    mockCase({
      id: 'down',
      responses: [{ provider: 'main', status: 503 }],
      expect: { status: 'failed', outcome: 'orb_error' },
    }),
  ],
});

const PUBLISHED = {
  orb_id: orbId,
  version: '1.0.0',
  manifest_digest: digest,
  status: 'listed',
  certification_tier: 'uncertified',
  reputation_score: 20,
  validation_report: { valid: true, tests: { required: 2, passed: 2, provenance: 'self_reported' }, findings: [] },
  log: { index: 6 },
};
const FINDING = {
  severity: 'error',
  code: 'test-report-stale',
  pointer: '/test_results/results/summary/stop',
  message: 'The run is more than 7 days old.',
};
const REFUSED = {
  title: 'The Orb can’t be published',
  status: 422,
  code: 'validation-failed',
  validation_report: { valid: false, findings: [FINDING] },
};
const problem = (value: object, status: number): Answering => json(status, value, 'application/problem+json');

describe('orb publish', () => {
  let cli: TestCli;
  const write = (name: string, value: unknown): void => writeFileSync(join(cli.folder, name), JSON.stringify(value));
  beforeEach(() => {
    cli = aCli();
    write('echo.json', manifest);
    write('echo.orbtest.json', mocks);
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  interface Sent extends CliResult {
    readonly requests: readonly string[];
    readonly body: JsonObject;
  }

  async function publish(answer: Answering, ...flags: readonly string[]): Promise<Sent> {
    const server = await aServer(answer);
    try {
      const argv = ['publish', join(cli.folder, 'echo.json'), '--egress-allow', 'https://api.example.com'];
      const result = await cli.run([...argv, '--server', server.url, ...flags]);
      const requests = server.received.map(({ method, url }) => `${method} ${url}`);
      const body = jsonOf(JSON.parse(server.received.at(-1)?.body || '{}'));
      return { ...result, requests, body: isJsonObject(body) ? body : {} };
    } finally {
      await server.close();
    }
  }

  it('sends manifest, report and suites, and says what came of it', async () => {
    const { exit, out, err, requests, body } = await publish(json(201, PUBLISHED));
    expect([exit, requests], err).to.deep.equal([0, ['POST /marketplace/orbs/publish']]);
    expect(out).to.equal(
      `${orbId}  listed\n  tier      uncertified, score 20\n  tests     2 of 2 required, self_reported\n  digest    ${digest}\n  log       entry 6\n`,
    );
    expect(Object.keys(body)).to.have.members(['manifest', 'test_results', 'test_suites']);
    expect([body['manifest'], body['test_suites']]).to.deep.equal([manifest, [mocks]]);
    expect(textAt(body, 'test_results', 'results', 'extra', 'orb', 'manifest_digest')).to.equal(digest);
    expect(at(body, 'test_results', 'results', 'summary', 'passed')).to.equal(2);
  });

  it('prints the answer for machines, and progress elsewhere', async () => {
    const { exit, out, err } = await publish(json(200, PUBLISHED), '-o', 'json');
    expect([exit, JSON.parse(out)]).to.deep.equal([0, PUBLISHED]);
    expect(err).to.include('2 cases: 2 passed, 0 failed, 0 skipped');
  });

  it('only asks with --dry-run, for the tenant that is named', async () => {
    const report = { ...PUBLISHED.validation_report, findings: [{ ...FINDING, severity: 'warning' }] };
    const { exit, out, requests } = await publish(json(200, report), '--dry-run', '-n', 'team-a');
    expect([exit, requests]).to.deep.equal([0, ['POST /marketplace/orbs/publish?dry_run=true&namespace=team-a']]);
    expect(out).to.equal(
      'It can be published.\n  warning test-report-stale /test_results/results/summary/stop: The run is more than 7 days old.\n',
    );
  });

  it('prints each finding of a refusal, exit 2', async () => {
    const { exit, out, err } = await publish(problem(REFUSED, 422));
    expect([exit, out]).to.deep.equal([2, '']);
    expect(err)
      .to.include('  error test-report-stale /test_results/results/summary/stop: The run is more than 7 days old.\n')
      .and.to.include('422 validation-failed');
  });

  it('ends with 4 while the API can not serve', async () => {
    const away = { title: 'Away', status: 503, code: 'ledger-unavailable' };
    expect((await publish(problem(away, 503))).exit).to.equal(4);
  });

  const unsent: readonly (readonly [
    why: string,
    files: Readonly<Record<string, unknown>>,
    exit: number,
    said: string,
  ])[] = [
    [
      'a required case fails',
      { 'echo.orbtest.json': aSuite({ cases: [mockCase({ expect: { status: 'timed_out' } })] }) },
      1,
      'nothing was sent: a required case did not pass',
    ],
    [
      'a required live case may not run',
      { 'echo.orbtest.json': aSuite({ cases: [mockCase(), liveCase()] }) },
      1,
      'nothing was sent: a required case did not pass',
    ],
    [
      'the ontology refuses the manifest',
      { 'echo.json': echoManifest({ capabilities: ['text.translat'] }) },
      2,
      'ontology-unknown-term',
    ],
    ['the manifest has an error', { 'echo.json': echoManifest({ inputs: {} }) }, 2, 'manifest-unknown-input'],
    ['the suite has an error', { 'echo.orbtest.json': aSuite({ format: 'orbtest/2' }) }, 2, 'suite-invalid'],
  ];
  for (const [why, files, exit, said] of unsent)
    it(`sends nothing, exit ${exit}, when ${why}`, async () => {
      for (const [name, value] of Object.entries(files)) write(name, value);
      const ended = await publish(json(201, PUBLISHED));
      expect([ended.exit, ended.requests, ended.out], ended.err).to.deep.equal([exit, [], '']);
      expect(ended.err).to.include(said);
    });
});
