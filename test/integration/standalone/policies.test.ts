import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../core/json/json-value.ts';
import { at, textAt } from '../../support/members.ts';
import { anOrbProcess } from '../../support/orb-process.ts';
import { orbManifest } from '../../support/orbs.ts';
import { jsonIn } from '../../support/policy-runs.ts';
import { startProvider } from '../../support/provider.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 'acme.echo@1.0.0';
const TAKES_FORCE_MS = 5000;

const policyFile = (spec: JsonObject): string =>
  JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbPolicy', metadata: { name: 'limits' }, spec });

const DENIES = {
  mode: 'Enforce',
  rules: [{ name: 'no-mail', effect: 'deny', when: 'inputs.text == "mail"', message: 'no mail' }],
  inputFacts: { text: 'string' },
};

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

describe('policies from files', function suite() {
  this.timeout(60_000);
  const { folder, run } = anOrbProcess();
  const data = temporaryFolder();
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let standalone: Standalone;

  const start = async (policy: JsonObject): Promise<void> => {
    const url = `http://127.0.0.1:${provider.port}/ok`;
    standalone = await startStandalone({
      data,
      resources: { 'echo.json': orbManifest(ORB, { url }), 'limits.json': policyFile(policy) },
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`],
    });
  };
  before(async () => {
    provider = await startProvider();
    await start(DENIES);
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(data, { recursive: true });
  });

  const rootKey = (): string => join(standalone.data, 'keys/root.jwk');
  const apply = (policy: JsonObject): void =>
    writeFileSync(join(standalone.resources, 'limits.json'), policyFile(policy));

  async function execute(text: string): Promise<Answer> {
    const answer = await standalone.post('/orbisets/default/execute', { orb_id: ORB, inputs: { text } });
    return { status: answer.status, body: jsonIn(await answer.text()) };
  }

  /** The answer to a run, once it is this status or the time is over. */
  const executed = (text: string, status: number): Promise<Answer> =>
    lastAnswer(
      () => execute(text),
      (answer) => answer.status === status,
      TAKES_FORCE_MS,
      100,
    );

  it('deny a run, and its receipt verifies and says which rule', async () => {
    const denied = await execute('mail');
    expect([denied.status, at(denied.body, 'code'), at(denied.body, 'detail')]).to.deep.equal([
      403,
      'policy-denied',
      'no mail',
    ]);
    expect((await execute('hi')).status).to.equal(200);
    const id = textAt(denied.body, 'run', 'receipt', 'receipt_id');
    const bundle = await lastAnswer(
      async () => (await standalone.get(`/receipts/${id}`, { accept: 'application/vnd.orb.bundle+json' })).text(),
      (text) => !text.includes('"tlog_proof":null'),
      TAKES_FORCE_MS,
      100,
    );
    writeFileSync(join(folder, 'bundle.json'), bundle);
    expect((await run(['trust', 'add', 'https://orbs.localhost', '--root', rootKey()])).status).to.equal(0);
    const verified = await run(['verify', 'bundle.json']);
    expect([verified.status, verified.err]).to.deep.equal([0, '']);
    expect(verified.out).to.include('policy_denied');
  });

  it('take force when their file changes, and the last good version stays when the next one is broken', async () => {
    apply({ ...DENIES, rules: [{ ...DENIES.rules[0], when: 'inputs.text == "post"' }] });
    expect((await executed('mail', 200)).status).to.equal(200);
    expect((await execute('post')).status).to.equal(403);
    apply({ ...DENIES, rules: [{ ...DENIES.rules[0], when: 'inputs.text = "mail"' }] });
    expect((await executed('mail', 403)).status).to.equal(200);
    expect((await execute('post')).status).to.equal(403);
  });

  it('hold after a restart, also when the file is broken', async () => {
    await standalone.stop();
    await start({ ...DENIES, rules: [{ ...DENIES.rules[0], when: 'inputs.text = "mail"' }] });
    expect((await execute('post')).status).to.equal(403);
    expect((await execute('mail')).status).to.equal(200);
  });

  it('end with their file', async () => {
    rmSync(join(standalone.resources, 'limits.json'));
    expect((await executed('post', 200)).status).to.equal(200);
  });
});
