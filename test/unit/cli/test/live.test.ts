import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { listAt, objectAt } from '../../../../core/json/members.ts';
import { textAt } from '../../../../cli/io/output.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering } from '../../../support/cli-server.ts';
import { aSuite, compiled, echoManifest, jsonOf, liveCase, mockCase } from '../../../support/suites.ts';
import { vectorCase } from '../../../support/vector-receipts.ts';

const manifest = echoManifest();
const orb = compiled(manifest);
const SALT = 'A'.repeat(22);

const objectIn = (text: string): JsonObject => {
  const value = jsonOf(JSON.parse(text));
  return isJsonObject(value) ? value : {};
};

/** The record of a receipt of the vectors, as that of a run of this manifest. */
function recordOf(execution: Readonly<Record<string, unknown>> = {}): JsonObject {
  const payload = objectIn(
    Buffer.from(vectorCase('active key, proof').input.bundle.jws.split('.')[1] ?? '', 'base64url').toString(),
  );
  const value = jsonOf({
    ...payload,
    orb: { id: orb.orbId, manifest_digest: orb.digest, irreversible: false },
    execution: { ...objectAt(payload, 'execution'), outcome: 'success', duration_ms: 40, ...execution },
  });
  return isJsonObject(value) ? value : {};
}

const receiptId = textAt(recordOf(), 'receipt_id');

/** An API in which every run ends as the record says. */
const platform =
  (record: JsonObject, answer: Readonly<Record<string, unknown>>, status = 200): Answering =>
  (request, response, count) =>
    json(request.method === 'POST' ? status : 200, request.method === 'POST' ? answer : { record })(
      request,
      response,
      count,
    );

const completed = {
  status: 'completed',
  outputs: { text: 'hi' },
  receipt: { receipt_id: receiptId },
  openings: { input: { salt: SALT }, output: { salt: SALT } },
};

const testsOf = (out: string): readonly JsonObject[] =>
  listAt(objectAt(objectIn(out), 'results'), 'tests').filter(isJsonObject);

describe('orb test --orbiset', () => {
  let cli: TestCli;
  const write = (name: string, value: unknown): void => writeFileSync(join(cli.folder, name), JSON.stringify(value));
  const test = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run(['test', join(cli.folder, 'echo.json'), ...argv]);
  beforeEach(() => {
    cli = aCli();
    write('echo.json', manifest);
    write('echo.orbtest.json', aSuite());
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  const live = (
    answering: Answering,
    ...argv: readonly string[]
  ): Promise<CliResult & { readonly sent: readonly string[] }> =>
    aServer(answering).then(async (server) => {
      try {
        const result = await test('--orbiset', 'default', '--server', server.url, ...argv);
        return { ...result, sent: server.received.map(({ method, url, body }) => `${method} ${url} ${body}`) };
      } finally {
        await server.close();
      }
    });

  it('skips live cases of an Orb with an effect, and says why', async () => {
    const { exit, out, sent } = await live(platform(recordOf(), completed));
    expect([exit, sent]).to.deep.equal([0, []]);
    expect(out).to.include('the Orb has an effect (reversible): --live runs it');
  });

  it('says what it will do with --live, does it, and keeps receipt and openings for the report', async () => {
    const { exit, out, err, sent } = await live(platform(recordOf(), completed), '--live', '-o', 'json');
    expect(exit).to.equal(0);
    expect(err).to.include(
      'acme.echo@1.0.0 has an effect (reversible). These cases really send POST https://api.example.com/echo:\n  echo/live  {"text":"hi"}\n',
    );
    expect(sent).to.deep.equal([
      'POST /orbisets/default/execute {"orb_id":"acme.echo@1.0.0","inputs":{"text":"hi"}}',
      `GET /receipts/${receiptId} `,
    ]);
    const own = objectAt(objectAt(testsOf(out)[2], 'extra'), 'orb');
    expect(own).to.deep.equal({
      case: 'echo/live',
      mode: 'live',
      receipt_id: receiptId,
      openings: { input_salt: SALT, output_salt: SALT, outputs: { text: 'hi' } },
    });
  });

  it('lets the report include the run by the clock of the platform', async () => {
    const { out } = await live(platform(recordOf(), completed), '--live', '-o', 'json');
    const started = Date.parse(textAt(objectAt(recordOf(), 'execution'), 'started_at'));
    const summary = objectAt(objectAt(objectIn(out), 'results'), 'summary');
    expect([Number(summary['start']) <= started, Number(summary['stop']) >= started + 40]).to.deep.equal([true, true]);
  });

  it('runs live cases of an Orb without an effect without asking', async () => {
    const harmless = echoManifest({ effect: 'none' });
    write('echo.json', harmless);
    const record = jsonOf({
      ...recordOf(),
      orb: { id: orb.orbId, manifest_digest: compiled(harmless).digest, irreversible: false },
    });
    const { exit, err } = await live(platform(isJsonObject(record) ? record : {}, completed));
    expect([exit, err]).to.deep.equal([0, '']);
  });

  it('expects a failure of a live case as well', async () => {
    const problem = {
      type: 'about:blank',
      code: 'provider-failed',
      run: { status: 'failed', receipt: { receipt_id: receiptId } },
    };
    const failing = liveCase({
      expect: { status: 'failed', outcome: 'orb_error', attempts: 1, active_provider: 'main' },
    });
    write('echo.orbtest.json', aSuite({ cases: [mockCase(), failing] }));
    const attempts = [{ provider: 'main', outcome: 'error', http_status: 503, duration_ms: 5 }];
    const record = recordOf({ outcome: 'orb_error', attempts });
    const { exit, out } = await live(platform(record, problem, 502), '--live');
    expect([exit, out.includes('ok       echo/live')]).to.deep.equal([0, true]);
  });

  const failures: readonly (readonly [why: string, answering: () => Answering, fault: string])[] = [
    [
      'no run',
      () => json(404, { code: 'orb-not-found', title: 'No such Orb' }),
      'no run was started: orb-not-found: No such Orb',
    ],
    [
      'other bytes than the manifest',
      () =>
        platform(
          { ...recordOf(), orb: { id: orb.orbId, manifest_digest: `sha256:${'0'.repeat(64)}`, irreversible: false } },
          completed,
        ),
      'the platform runs another manifest under this id; apply this one first',
    ],
    ['a receipt that can not be read', () => platform({}, completed), 'the scope receipts:read'],
    [
      'outputs of another form',
      () => platform(recordOf(), { ...completed, outputs: { text: '' } }),
      'output text does not fit its schema',
    ],
  ];
  for (const [why, answering, fault] of failures)
    it(`fails a live case: ${why}`, async () => {
      const { exit, out } = await live(answering(), '--live');
      expect([exit, out.includes(fault)]).to.deep.equal([1, true]);
    });

  it('exits with 4 when nothing listens', async () => {
    const server = await aServer(json(200, {}));
    await server.close();
    const { exit, err } = await test('--orbiset', 'default', '--live', '--server', server.url);
    expect([exit, err.includes("can't reach")]).to.deep.equal([4, true]);
  });
});
