import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ed25519Verify, sha256 } from '../../../adapters/keys/primitives.ts';
import { CaseRunner } from '../../../adapters/suite-worker/case-runner.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { member } from '../../../core/json/members.ts';
import { checkDocument } from '../../../core/manifest/documents.ts';
import { parseDocuments } from '../../../core/manifest/parse-text.ts';
import { isReceiptRecord } from '../../../core/receipt/record-schema.ts';
import type { CitedReceipt } from '../../../core/test-report/judge-receipts.ts';
import { judgeTests, type TestJudgement } from '../../../core/test-report/judge-report.ts';
import { anOrbProcess } from '../../support/orb-process.ts';
import { compiled, jsonOf } from '../../support/suites.ts';
import { untilTrue } from '../../support/wait-for.ts';

const root = join(import.meta.dirname, '../../..');
const manifests = join(root, 'manifests');
const readJsonFile = (path: string): JsonValue => jsonOf(JSON.parse(readFileSync(path, 'utf8')));

function readManifest(name: string): JsonObject {
  const [document] = parseDocuments(readFileSync(join(manifests, name), 'utf8'), 'yaml');
  const checked = document?.ok === true ? checkDocument(document.value) : undefined;
  if (checked?.ok !== true || checked.value.kind !== 'Orb') throw new Error(`${name} holds no manifest`);
  return checked.value.manifest;
}

describe('orb test against npm start', () => {
  const { folder, env, run } = anOrbProcess();
  const runner = new CaseRunner({ most: 1 });
  let server: ChildProcess;
  let log = '';

  before(async () => {
    const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--ready-file', 'ready.json'];
    server = spawn(process.execPath, [join(root, 'cli/orb.js'), 'dev', ...flags], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    server.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
    server.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
    await untilTrue('the server is ready', () => existsSync(join(folder, 'ready.json')), 60_000);
  });
  after(async () => {
    runner.close();
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'close');
    }
    rmSync(folder, { recursive: true });
  });

  async function receipt(id: string): Promise<CitedReceipt> {
    const { out } = await run(['receipts', 'get', id, '-o', 'json']);
    const record = member(jsonOf(JSON.parse(out)), 'record');
    if (!isJsonObject(record) || !isReceiptRecord(record)) return { kind: 'missing' };
    return { kind: 'found', record, verified: true, own: true };
  }

  const judged = (report: JsonValue): Promise<TestJudgement> => {
    const manifest = readManifest('echo.yaml');
    const suites = [readJsonFile(join(manifests, 'echo.orbtest.json'))];
    return judgeTests(
      { manifest, orb: compiled(manifest), allowedOrigins: [], suites, report, now: Date.now(), rerun: new Set() },
      {
        receipts: receipt,
        runCases: (work) => runner.run(work, 'default'),
        wasAccepted: async () => false,
        primitives: { sha256, ed25519Verify },
        turn: async () => undefined,
      },
    );
  };

  it('starts beside the suites of the examples without a word about them', () => {
    expect(log).to.not.include('orbtest');
  });

  it('runs mock and live cases, and writes a report that its judge accepts as receipted', async () => {
    const argv = ['test', join(manifests, 'echo.yaml'), '--orbiset', 'default', '--report', 'report.json'];
    const { status, out, err } = await run(argv);
    expect([status, /5 passed, 0 failed, 0 skipped/.test(out)], out + err).to.deep.equal([0, true]);
    const { ok, findings, report, audit } = await judged(readJsonFile(join(folder, 'report.json')));
    expect([ok, findings]).to.deep.equal([true, []]);
    expect([report?.provenance, report?.required, report?.passed, audit]).to.deep.equal([
      'receipted',
      5,
      5,
      { checked: 1, invalid: 0 },
    ]);
  }).timeout(60_000);

  it('asks for --live before an Orb with an effect is called, and says what it sends', async () => {
    const text = readFileSync(join(manifests, 'echo.yaml'), 'utf8');
    writeFileSync(join(folder, 'echo.yaml'), text.replace('capabilities: [http.call]', 'effect: reversible'));
    copyFileSync(join(manifests, 'echo.orbtest.json'), join(folder, 'echo.orbtest.json'));
    const { status, out } = await run(['test', 'echo.yaml', '--orbiset', 'default']);
    expect([status, /4 passed, 0 failed, 1 skipped/.test(out)], out).to.deep.equal([0, true]);
    expect((await run(['receipts', 'list', '-o', 'name'])).out.trim().split('\n')).to.have.length(1);
    const { err } = await run(['test', 'echo.yaml', '--orbiset', 'default', '--live']);
    expect(err).to.include('These cases really send POST https://echo.orbs.example/v1/echo');
  }).timeout(60_000);

  it('runs the live case of an Orb without an effect', async () => {
    const { status, out } = await run(['test', join(manifests, 'lookup.yaml'), '--orbiset', 'default']);
    expect([status, /5 passed, 0 failed, 0 skipped/.test(out)], out).to.deep.equal([0, true]);
  }).timeout(60_000);
});
