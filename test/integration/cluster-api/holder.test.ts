import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { writeFailoverStatus } from '../../../core/failover/status-codec.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { aSwapRecord, swappedStatus, swapReceiptId } from '../../support/a-swap.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const url = ({ port }: TestProvider): string => `http://127.0.0.1:${port}/ok`;

describe('what one API process of a cluster does for all (failover.md §6, §7)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let active: TestProvider;
  let standby: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret(['h6-team']);

  before(async () => {
    plane = await sharedControlPlane();
    active = await startProvider();
    standby = await startProvider();
    team = await testNamespace(plane, 'h6-team');
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    const allowed = [active, standby].flatMap(({ port }) => ['--egress-allow', `http://127.0.0.1:${port}`]);
    api = await startApi(plane, allowed);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await Promise.all([active.close(), standby.close()]);
    expect(await api.stop()).to.equal(0);
  });

  const statusOf = async (path: string): Promise<number> => {
    const answer = await fetch(`${api.url}${path}`, { headers: { authorization: `Bearer ${owner.key}` } });
    await answer.body?.cancel();
    return answer.status;
  };

  it('probes the standby of an Orb that was applied, and not the active one', async () => {
    const execution = (provider: TestProvider) => ({ method: 'GET', url: url(provider), body_template: undefined });
    const manifest = {
      provider: 'sendgrid',
      providers: { mailgun: { execution: execution(standby) } },
      swap_config: { primary: 'sendgrid', fallbacks: ['mailgun'], probe: { interval: '5s', max_per_hour: 720 } },
    };
    const swapping = { url: url(active), method: 'GET', execution: execution(active), outputs: {}, manifest };
    await team.apply(orb('mailer', 'acme.mailer@1.2.0', swapping));
    expect(await waitFor(async () => (standby.seen.length > 1 ? standby.seen.length : undefined), 20_000)).to.equal(2);
    expect(active.connections()).to.equal(0);
  });

  it('writes the receipts of swaps that the operator recorded, and probes the provider that was left', async () => {
    const first = swappedStatus();
    const history = [...first.history, aSwapRecord(2, { from: 'mailgun', to: 'sendgrid' }), aSwapRecord(3)];
    const failover = writeFailoverStatus({ ...first, swapSeq: 3, history });
    const patch = ['patch', 'orb', 'mailer', '--subresource=status', '--type=merge', '-p'];
    await kubectlOk(plane, ['-n', 'h6-team', ...patch, JSON.stringify({ status: { failover } })]);
    for (const seq of [1, 2, 3]) {
      const path = `/receipts/${swapReceiptId(seq)}`;
      const found = async (): Promise<number | undefined> => ((await statusOf(path)) === 200 ? 200 : undefined);
      expect(await waitFor(found, 5000), path).to.equal(200);
    }
    const probed = await waitFor(async () => (active.seen.length > 0 ? active.seen[0]?.method : undefined), 15_000);
    expect(probed).to.equal('GET');
  });
});
