import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { orb, orbiset, secret } from '../../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aHelmChart, type HelmChart } from '../../support/cluster/helm-chart.ts';
import { currentTooEarly, fellBack, watchKstatus, type KstatusWatch } from '../../support/cluster/kstatus-watch.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { aPublication, manifestOf } from '../../support/kube-objects.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

const GOOD = '{"text":"{{inputs.text}}"}';
const BROKEN = '{"text":"{{inputs.txt}}"}';
const REMEDY = /resource Orb\/h9-helm\/echo not ready.*spec\.execution\.body_template: No input is named "txt"/;
const READY = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
// Far above what a reconcile takes, far below the timeout that Helm is given.
const QUICK_MS = 20_000;

const anEcho = (name: string, body: string): object =>
  orb(name, `acme.${name}@1.0.0`, { url: 'https://api.example.com/echo', execution: { body_template: body } });
const publication = (name: string): object => {
  const { apiVersion, kind, spec } = aPublication(name, {
    spec: { manifest: manifestOf({ orb_id: `acme.${name}@1.0.0` }), test_results: {} },
  });
  return { apiVersion, kind, metadata: { name }, spec };
};

describe('kstatus, by tools that are not ours', function suite() {
  this.timeout(240_000);
  let plane: ControlPlane;
  let operator: OperatorProcess | undefined;
  let api: ApiProcess | undefined;

  before(async () => {
    plane = await sharedControlPlane();
  });
  after(async () => {
    await operator?.stop();
    await api?.stop();
  });

  describe('helm --wait', () => {
    let chart: HelmChart;

    before(async () => {
      await kubectlOk(plane, ['create', 'namespace', 'h9-helm']);
      chart = await aHelmChart(plane, 'h9-helm');
    });
    after(async () => {
      await kubectlOk(plane, ['delete', 'namespace', 'h9-helm', '--wait=false']);
      chart.remove();
    });

    it('does not take for ready what nobody has reconciled yet', async () => {
      const { code, stderr } = await chart.run('install', { body: GOOD }, ['--wait', '--timeout', '8s']);
      await chart.uninstall([]);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.match(/Orb\/h9-helm\/echo not ready\. status: InProgress/);
      expect(stderr).to.match(/Orbiset\/h9-helm\/support not ready\. status: InProgress/);
    });

    it('returns from an install once everything is Ready', async () => {
      operator = await startOperator(plane, { flags: SHORT_LEASE });
      api = await startApi(plane);
      const { code, stderr } = await chart.run('install', { body: GOOD }, ['--wait', '--timeout', '60s']);
      const ready = await kubectlOk(plane, ['-n', 'h9-helm', 'get', 'orbs,orbisets', '-o', READY]);
      expect(code, stderr).to.equal(0);
      expect(ready).to.equal('True True');
    });

    it('ends an upgrade that breaks an Orb at once, and names it with what to write', async () => {
      const { code, stderr, ms } = await chart.run('upgrade', { body: BROKEN }, ['--wait', '--timeout', '60s']);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.match(REMEDY);
      expect(ms).to.be.below(QUICK_MS);
    });

    it('returns from the upgrade that mends it once it is Ready', async () => {
      const { code, stderr } = await chart.run('upgrade', { body: GOOD }, ['--wait', '--timeout', '60s']);
      const ready = await kubectlOk(plane, ['-n', 'h9-helm', 'get', 'orbs,orbisets', '-o', READY]);
      expect(code, stderr).to.equal(0);
      expect(ready).to.equal('True True');
    });

    it('waits for a vault that lacks its Secret, and names the Orbiset', async () => {
      expect((await chart.uninstall(['--wait', '--timeout', '60s'])).code).to.equal(0);
      const lacking = { body: GOOD, hasSecret: false };
      const { code, stderr } = await chart.run('install', lacking, ['--wait', '--timeout', '10s']);
      expect(code, stderr).to.equal(1);
      expect(stderr)
        .to.match(/Orbiset\/h9-helm\/support not ready/)
        .and.not.match(/Orb\/h9-helm\/echo not ready/);
      const mended = await chart.run('upgrade', { body: GOOD }, ['--wait', '--timeout', '60s']);
      expect(mended.code, mended.stderr).to.equal(0);
    });

    it('ends the install of a broken Orb at once', async () => {
      expect((await chart.uninstall(['--wait', '--timeout', '60s'])).code).to.equal(0);
      const { code, stderr, ms } = await chart.run('install', { body: BROKEN }, ['--wait', '--timeout', '60s']);
      expect(code, stderr).to.equal(1);
      expect(stderr).to.match(REMEDY);
      expect(ms).to.be.below(QUICK_MS);
      await chart.uninstall([]);
    });
  });

  describe('every version that a watch sees', () => {
    let space: TestNamespace;
    let watch: KstatusWatch;
    const names = Array.from({ length: 10 }, (_, index) => `echo-${index}`);
    const applyAll = (body: string): Promise<void> => space.apply(...names.map((name) => anEcho(name, body)));
    const wait = (what: string, condition: string): Promise<string> =>
      space.kubectl('wait', what, '--all', `--for=condition=${condition}`, '--timeout=30s');

    before(async () => {
      operator ??= await startOperator(plane, { flags: SHORT_LEASE });
      api ??= await startApi(plane);
      space = await testNamespace(plane, 'h9-kstatus');
      watch = await watchKstatus(plane, space.name);
    });
    after(async () => {
      watch.close();
      await space.remove();
    });

    it('is Current only when its generation is reconciled and Ready, and stays so: create, edit, break, mend', async () => {
      await space.apply(orbiset('support', ['echo']), secret('echo', { TOKEN: 'one' }), publication('published'));
      await applyAll(GOOD);
      await wait('orbs,orbisets', 'Ready');
      await applyAll('{"text":"{{inputs.text}}, edited"}');
      await space.kubectl('wait', 'orbs', '--all', '--for=jsonpath={.status.observedGeneration}=2', '--timeout=30s');
      await applyAll(BROKEN);
      await wait('orbs', 'Stalled');
      await applyAll(GOOD);
      await wait('orbs', 'Ready');
      await space.apply(orbiset('support', ['echo'], { suspended: true }));
      await wait('orbisets', 'Ready=False');
      await space.apply(orbiset('support', ['echo'], { suspended: false }));
      await wait('orbisets', 'Ready');
      const seen = watch.seen();
      const states = new Set(seen.map(({ name, kstatus }) => `${name} ${kstatus}`));
      for (const name of names)
        expect([...states]).to.include.members(
          ['InProgress', 'Current', 'Failed'].map((state) => `Orb/${name} ${state}`),
        );
      expect([...states]).to.include.members(['Orbiset/support InProgress', 'Orbiset/support Current']);
      expect(currentTooEarly(seen)).to.deep.equal([]);
      expect(fellBack(seen)).to.deep.equal([]);
    });

    it('of a publication is in progress until its pipeline has a word, and Failed with an empty report', async () => {
      const reported = await space.until('orbpublication/published', ({ status }) =>
        JSON.stringify(status ?? {}).includes('Stalled'),
      );
      expect(reported.metadata.generation).to.equal(1);
      const states = watch.seen().filter(({ name }) => name === 'OrbPublication/published');
      expect([...new Set(states.map(({ kstatus }) => kstatus))]).to.deep.equal(['InProgress', 'Failed']);
    });

    it('of an Orbiset leaves Current once when its Secret goes, and comes back with it', async () => {
      const before = watch.seen().length;
      await space.kubectl('delete', 'secret', 'echo');
      await wait('orbisets', 'Ready=False');
      await space.apply(secret('echo', { TOKEN: 'two' }));
      await wait('orbisets', 'Ready');
      const seen = (): ReturnType<KstatusWatch['seen']> =>
        watch.seen().filter(({ name }) => name === 'Orbiset/support');
      const last = await waitFor(async () => (seen().at(-1)?.kstatus === 'Current' ? 'Current' : undefined));
      expect([watch.seen().length > before, last]).to.deep.equal([true, 'Current']);
      expect(fellBack(seen())).to.have.length(1);
      expect(currentTooEarly(seen())).to.deep.equal([]);
    });
  });
});
