import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_HEAD_NAME } from '../../../adapters/log-head/config-map-head-store.ts';
import { command } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SYSTEM = 'orb-system';

const orbCommand = async (...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await command(process.execPath, [join(ROOT, 'cli/main.ts'), 'ledger', ...args]);
  expect(code, stderr).to.equal(0);
};

describe('the head of the log of a cluster (trust.md §2.3)', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const folder = mkdtempSync(join(tmpdir(), 'orb-head-'));
  const backup = join(folder, 'backup.sqlite');
  const owner = apiKeySecret(['head-team']);

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, 'head-team');
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
    const url = `http://127.0.0.1:${provider.port}/ok`;
    await team.apply(orb('echo', 'acme.echo@1.0.0', { url }), orbiset('support', []));
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await kubectlOk(plane, ['-n', SYSTEM, 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await provider.close();
    expect(await api.stop()).to.equal(0);
  });

  const execute = (): Promise<ApiReply> => api.execute(owner.key, 'support', 'acme.echo@1.0.0');
  const until = (wanted: (reply: ApiReply) => boolean, ms = 10_000): Promise<ApiReply | undefined> =>
    waitFor(async () => {
      const reply = await execute();
      return wanted(reply) ? reply : undefined;
    }, ms);
  const headLines = async (): Promise<readonly string[]> => {
    const args = ['-n', SYSTEM, 'get', 'configmap', LOG_HEAD_NAME, '-o', 'jsonpath={.data.checkpoint}'];
    return (await kubectlOk(plane, args)).split('\n');
  };
  /** Messages of the Events about it, when one of them has these words. */
  const reported = (words: string): Promise<string | undefined> =>
    waitFor(async () => {
      const about = `--field-selector=involvedObject.name=${LOG_HEAD_NAME},reason=LedgerForked`;
      const text = await kubectlOk(plane, ['-n', SYSTEM, 'get', 'events', about, '-o', 'jsonpath={.items[*].message}']);
      return text.includes(words) ? text : undefined;
    });
  const stopped = async (): Promise<void> => {
    api.process.kill('SIGTERM');
    await api.process.exited;
  };
  /** Without a retry of the client the answer of a fault comes at once. */
  const away = { kind: 'answer', answer: { status: 403, reason: 'Forbidden' } } as const;

  it('is in the ConfigMap after a stop, and the next start goes on from it', async () => {
    await execute();
    await stopped();
    const [origin, size] = await headLines();
    expect([origin, Number(size) > 3]).to.deep.equal(['orbs.localhost/log', true]);
    api = await api.restart();
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
  });

  it('holds every run back while it can not be read, and lets them go when it can', async () => {
    const restore = api.proxy.addRule(({ request }) => (request.name === LOG_HEAD_NAME ? away : undefined));
    api = await api.restart();
    const waiting = await execute();
    expect([waiting.status, waiting.code]).to.deep.equal([503, 'ledger-unavailable']);
    expect(api.log()).to.include('nothing is signed until it is');
    restore();
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
  });

  it('stops a restored ledger from signing: 503 ledger-forked, an Event on the ConfigMap, reads go on', async () => {
    await orbCommand('backup', backup, '--data', api.data);
    expect((await execute()).status).to.equal(200);
    await stopped();
    const head = await headLines();
    await orbCommand('restore', backup, '--data', api.data, '--force');
    api = await api.restart();
    expect((await until(({ status }) => status !== 404))?.code).to.equal('ledger-forked');
    expect((await api.get(owner.key, '/receipts')).status).to.equal(200);
    expect(await reported('orb ledger adopt --new-origin')).to.include('Nothing is signed');
    expect(await headLines()).to.deep.equal(head);
  });

  it('goes on after an adoption, under the next name', async () => {
    await stopped();
    await orbCommand('adopt', '--new-origin', '--data', api.data, '--yes');
    api = await api.restart();
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
    await stopped();
    expect((await headLines())[0]).to.equal('orbs.localhost/log-2');
    api = await api.restart();
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
  });

  it('tells the way out of a ConfigMap that was damaged, and makes a deleted one anew', async () => {
    await stopped();
    await kubectlOk(plane, ['-n', SYSTEM, 'patch', 'configmap', LOG_HEAD_NAME, '-p', '{"data":{"checkpoint":"x"}}']);
    api = await api.restart();
    expect((await until(({ status }) => status !== 404))?.code).to.equal('ledger-forked');
    expect(await reported('delete it. Then start again')).to.include(
      'no checkpoint that a key of this platform signed',
    );
    await kubectlOk(plane, ['-n', SYSTEM, 'delete', 'configmap', LOG_HEAD_NAME]);
    api = await api.restart();
    expect((await until(({ status }) => status === 200))?.status).to.equal(200);
    const made = await waitFor(async () => (await headLines().catch(() => undefined))?.[0]);
    expect(made).to.equal('orbs.localhost/log-2');
  });
});
