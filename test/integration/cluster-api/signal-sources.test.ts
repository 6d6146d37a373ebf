import { expect } from 'chai';
import { createHmac, randomUUID } from 'node:crypto';
import type { OrbSignalSourceSpec } from '../../../crds/orbsignalsource.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { conditionOf, statusOf } from '../../../core/reconcile/read-object.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { orbiset, secret } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { BROKEN_SPEC, GRAFANA_SPEC, sourceObject } from '../../support/signal-sources.ts';
import { lastAnswer, untilTrue } from '../../support/wait-for.ts';

const NAMESPACE = 'p17-sources';
const EDITOR = 'p17-editor';
/** A change is in force within this time, ms; one of a Secret within the other. */
const IN_FORCE_MS = 2000;
const SECRET_MS = 5000;
const RECEIVING = 'True Receiving';

describe('signal sources of a cluster (ingestion.md §5)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let operator: OperatorProcess;
  let team: TestNamespace;
  let urlPath = '';

  const apply = (spec: OrbSignalSourceSpec): Promise<void> => team.apply(sourceObject('grafana', spec));
  /** Status and reason of a condition; '' without one. */
  const shown = async (type: string): Promise<string> => {
    const object = await team.get('osrc/grafana');
    const condition = object && conditionOf(object, type);
    return condition === undefined ? '' : `${condition.status} ${condition.reason}`;
  };
  const until = (type: string, wanted: string, ms = 10_000): Promise<string> =>
    lastAnswer(
      () => shown(type),
      (found) => found === wanted,
      ms,
    );
  /** The status of the answer to a delivery that is signed with this secret. */
  const delivered = async (path: string, key: string): Promise<number> => {
    const body = JSON.stringify({ alerts: [], id: randomUUID() });
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-grafana-alerting-signature': signature };
    const answer = await fetch(`${api.url}${path}`, { method: 'POST', headers, body });
    await answer.text();
    return answer.status;
  };
  const untilDelivered = (key: string, wanted: number, ms: number): Promise<number> =>
    lastAnswer(
      () => delivered(urlPath, key),
      (found) => found === wanted,
      ms,
    );
  const member = async (name: string): Promise<unknown> => {
    const object = await team.get('osrc/grafana');
    return object && statusOf(object)[name];
  };

  before(async () => {
    plane = await sharedControlPlane();
    team = await testNamespace(plane, NAMESPACE);
    await team.kubectl('create', 'rolebinding', EDITOR, '--clusterrole=edit', `--user=${EDITOR}`);
    // The operator makes the RoleBinding for the Orbiset.
    await team.apply(secret('hook', { current: 'one' }), orbiset('support', []));
    api = await startApi(plane);
    operator = await startOperator(plane);
  });
  after(async () => {
    await team.remove();
    await operator.stop();
    await api.stop();
  });

  it('receive within two seconds, and the status says where', async () => {
    // The first status waits until this process has the lease of those who write statuses.
    await apply({ ...GRAFANA_SPEC, mode: 'Observe' });
    expect(await until('Receiving', RECEIVING)).to.equal(RECEIVING);
    await team.kubectl('delete', 'osrc/grafana');
    await apply(GRAFANA_SPEC);
    expect(await until('Receiving', RECEIVING, IN_FORCE_MS)).to.equal(RECEIVING);
    expect(await until('Ready', 'True Accepted')).to.equal('True Accepted');
    const id = await member('sourceId');
    expect(id).to.match(/^src_[0-9a-z]{26}$/);
    expect([await member('urlPath'), await member('trust'), await member('fingerprintRule')]).to.deep.equal([
      `/ingest/${String(id)}`,
      'signed',
      'alerts[].fingerprint ?? sha256(body)',
    ]);
    urlPath = `/ingest/${String(id)}`;
    expect(await delivered(urlPath, 'one')).to.equal(202);
  });

  it('keep the last valid version after a broken edit, also after the process was killed', async () => {
    const id = await member('sourceId');
    await apply(BROKEN_SPEC);
    expect(await until('Receiving', 'True LastValidVersion')).to.equal('True LastValidVersion');
    expect(await until('Stalled', 'True MappingInvalid')).to.equal('True MappingInvalid');
    const object = await team.get('osrc/grafana');
    expect(object && conditionOf(object, 'Stalled')?.message).to.include('spec.mapping.fields.title: line 1, column 1');
    api = await api.restart('SIGKILL');
    await team.apply(secret('hook', { current: '' }));
    expect(await untilDelivered('one', 503, SECRET_MS)).to.equal(503);
    expect(await until('SecretsReadable', 'False SecretEmpty', 20_000)).to.equal('False SecretEmpty');
    await team.apply(secret('hook', { current: 'two' }));
    expect(await untilDelivered('two', 202, SECRET_MS)).to.equal(202);
    expect(await delivered(urlPath, 'one')).to.equal(401);
    expect(await until('Receiving', 'True LastValidVersion', SECRET_MS)).to.equal('True LastValidVersion');
    expect(await member('sourceId')).to.equal(id);
    await apply(GRAFANA_SPEC);
    expect(await until('Receiving', RECEIVING)).to.equal(RECEIVING);
  });

  it('say which Secret may not be read when the RoleBinding is gone, and receive when it is back', async () => {
    await team.kubectl('delete', 'orbiset/support');
    await team.untilGone('rolebinding/orb-vault-reader');
    api.proxy.endWatches(); // Kubernetes asks for rights when a watch begins: now instead of within ten minutes
    const away = await until('SecretsReadable', 'False SecretForbidden', 30_000);
    expect(away).to.equal('False SecretForbidden');
    expect(await delivered(urlPath, 'two')).to.equal(503);
    expect(await until('Ready', 'False SecretUnusable')).to.equal('False SecretUnusable');
    const object = await team.get('osrc/grafana');
    expect(object && conditionOf(object, 'SecretsReadable')?.message).to.include('Secret hook, key current');
    await team.apply(orbiset('support', []));
    expect(await until('Receiving', RECEIVING, 10_000)).to.equal(RECEIVING);
  });

  it('are neither made nor changed by who has role edit, nor by the API', async () => {
    const before = await team.kubectl('get', 'osrc', '-o', 'jsonpath={.items[*].spec}');
    const off = '{"spec":{"mode":"Disabled"}}';
    const writes: readonly (readonly [args: readonly string[], input?: object])[] = [
      [['apply', '--server-side', '--force-conflicts', '-f', '-'], sourceObject('mine')],
      [['patch', 'osrc/grafana', '--type=merge', '-p', off]],
      [['patch', 'osrc/grafana', '--type=merge', '--subresource=status', '-p', '{"status":null}']],
      [['delete', 'osrc/grafana', '--wait=false']],
    ];
    for (const [args, input] of writes) {
      const sent = input === undefined ? {} : { input: JSON.stringify(input) };
      const asEditor = await plane.kubectl(['-n', NAMESPACE, `--as=${EDITOR}`, ...args], sent);
      expect([asEditor.code === 0, asEditor.stderr], args.join(' ')).to.satisfy(
        ([isDone, text]: [boolean, string]) => !isDone && /forbidden/i.test(text),
      );
      if (args.includes('--subresource=status')) continue;
      const asApi = await plane.kubectl(['-n', NAMESPACE, ...args], { ...sent, as: 'api' });
      expect([asApi.code === 0, asApi.stderr], args.join(' ')).to.satisfy(
        ([isDone, text]: [boolean, string]) => !isDone && /forbidden/i.test(text),
      );
    }
    expect(await team.kubectl('get', 'osrc', '-o', 'jsonpath={.items[*].spec}')).to.equal(before);
  });

  it('are forgotten with their objects', async () => {
    await team.kubectl('delete', 'osrc/grafana');
    expect(await untilDelivered('two', 404, IN_FORCE_MS)).to.equal(404);
    await apply(BROKEN_SPEC);
    expect(await until('Receiving', 'False NeverValid')).to.equal('False NeverValid');
    await team.kubectl('delete', 'osrc/grafana');
    await untilTrue('it is gone', async () => (await team.get('osrc/grafana')) === undefined);
  });
});
