import { expect } from 'chai';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { createElection } from '../../../adapters/kube/election.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { checkVersion, SkippedVersion, VERSION } from '../../../operator/version-guard.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { LEASE, untilAborted } from '../../support/kube/candidates.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from '../../support/kube/fake-kube-client.ts';
import { recordLog, recordMetrics } from '../../support/kube/runtime-recorders.ts';

const never = new AbortController().signal;

describe('the version guard of the operator', () => {
  let clock: FakeClock;
  let api: FakeKubeClient;
  beforeEach(() => {
    clock = createFakeClock(0);
    api = createFakeKubeClient();
  });

  const lead = async (version: string): Promise<void> => {
    const election = createElection({
      client: api,
      ...LEASE,
      identity: version,
      clock,
      random: () => 0,
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
      annotations: { [VERSION]: version },
    });
    const stopped = new AbortController();
    const led = election.run(stopped.signal, (scope) => untilAborted(scope));
    await clock.advance(1000);
    stopped.abort();
    await clock.advance(1000);
    await led;
  };

  const check = (version: string, client: Pick<KubeClient, 'get'> = api, signal = never): Promise<string> =>
    checkVersion({ client, clock, logger: recordLog().logger, version, lease: LEASE }, signal).then(
      () => 'may',
      (error: unknown) => (error instanceof SkippedVersion ? error.message : String(error)),
    );

  it('lets any version begin on a cluster where nobody led', async () => {
    expect(await check('7.3.0')).to.equal('may');
  });

  it('compares with the version that led last, and says what comes first', async () => {
    await lead('0.1.0');
    expect(await check('0.2.0')).to.equal('may');
    expect(await check('0.3.0')).to.contain('Go to 0.2 first');
    await lead('0.2.0');
    expect(await check('0.3.0')).to.equal('may');
    expect(await check('0.1.4')).to.equal('may');
    expect(api.objects(KINDS.lease)[0]?.metadata.annotations).to.deep.equal({ [VERSION]: '0.2.0' });
  });

  it('waits for a Kubernetes API that does not answer, until it is stopped', async () => {
    await lead('0.1.0');
    let isAway = true;
    const client: Pick<KubeClient, 'get'> = {
      get: (...args) => (isAway ? Promise.reject(kubeError(0, '')) : api.get(...args)),
    };
    const checked = check('0.3.0', client);
    await clock.advance(5000);
    isAway = false;
    await clock.advance(2000);
    expect(await checked).to.contain('Go to 0.2 first');
    isAway = true;
    const stopped = new AbortController();
    const waiting = check('0.3.0', client, stopped.signal);
    await clock.advance(5000);
    stopped.abort();
    expect(await waiting).to.equal('may');
  });
});
