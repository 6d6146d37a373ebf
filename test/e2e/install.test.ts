import { expect } from 'chai';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { command, type CommandResult } from '../../hack/control-plane/command.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { at } from '../../hack/control-plane/json.ts';
import { testNamespace, type TestNamespace } from '../support/cluster.ts';
import { node, say } from '../support/e2e/node.ts';
import { PATIENCE_MS } from './support/patience.ts';
import {
  ensureRestricted,
  helm,
  platformKubectl,
  PLATFORM_CHART,
  RELEASE,
  removeRelease,
  testRelease,
} from './support/release.ts';

const PLACE = ['-n', PLATFORM_NAMESPACE];
const LABELS = ['name', 'instance', 'version', 'managed-by', 'part-of'].map((name) => `app.kubernetes.io/${name}`);
// Definitions are of the chart orb-crds, which knows no release.
const OF_DEFINITIONS = ['app.kubernetes.io/part-of'];
// The checkout has orb-crds beside orb-platform, and within it by a link.
const ABOUT_LINK = /found symbolic link in path/;
// As Kubernetes' client logs it: that it waited, for instance.
const INFORMATION = /^I\d{4} /;

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line.trim() !== '');
const warnings = (text: string): readonly string[] => lines(text).filter((line) => !INFORMATION.test(line));
const objectsIn = (text: string): readonly JsonObject[] => {
  const items = at(JSON.parse(text), 'items');
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
};
const titleOf = (object: JsonObject): string =>
  `${String(at(object, 'kind'))}/${String(at(object, 'metadata', 'name'))}`;
const pods = async (): Promise<readonly JsonObject[]> => objectsIn(await platformKubectl('get', 'pods', '-o', 'json'));
const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
const nameOf = (object: JsonObject): string => String(at(object, 'metadata', 'name'));

/** Asks Pod Security what it thinks of objects: it warns of pods and of what makes pods. */
const dryRun = (input: string): Promise<CommandResult> =>
  node.kubectl([...PLACE, 'apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', '-'], { input });

const privileged = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'privileged' },
  spec: {
    selector: { matchLabels: { app: 'privileged' } },
    template: {
      metadata: { labels: { app: 'privileged' } },
      spec: { containers: [{ name: 'main', image: 'localhost/node:24' }] },
    },
  },
};

const INSIDE = `
const { writeFileSync, existsSync } = require('node:fs');
const write = (path) => { try { writeFileSync(path, 'x'); return 'written'; } catch (error) { return error.code; } };
console.log(JSON.stringify([process.getuid(), process.getgid(), write('/app/x'), write('/x'), existsSync('/bin/sh')]));
`;

const conditionOf = (object: unknown, type: string): unknown =>
  listAt(object, 'status', 'conditions').find((one) => at(one, 'type') === type);

const metricsOf = (orb: object): unknown => conditionOf(orb, 'MetricsAvailable');

/** Seconds from the start of a pod's container until it was ready. */
function readySeconds(pod: JsonObject): number {
  const [container] = listAt(pod, 'status', 'containerStatuses');
  const started = Date.parse(String(at(container, 'state', 'running', 'startedAt')));
  return (Date.parse(String(at(conditionOf(pod, 'Ready'), 'lastTransitionTime'))) - started) / 1000;
}

describe('an install with defaults, where Pod Security is restricted', () => {
  let tenant: TestNamespace;
  let installed: CommandResult;

  before(async () => {
    await removeRelease();
    await ensureRestricted();
    const began = performance.now();
    const flags = ['--set', 'image.pullPolicy=IfNotPresent', '--wait', '--timeout=5m'];
    installed = await command('helm', ['install', RELEASE, PLATFORM_CHART, ...PLACE, ...flags]);
    say(`Install with defaults: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    await kubectlOk(node, ['delete', 'namespace', 'e2e-install', '--ignore-not-found', '--timeout=180s']);
    tenant = await testNamespace(node, 'e2e-install');
  });
  after(async () => {
    await tenant.kubectl('delete', 'orbs', '--all');
    await tenant.remove();
    await removeRelease();
  });

  it('succeeds without a warning', () => {
    expect(installed.code, installed.stderr).to.equal(0);
    expect(warnings(installed.stderr).filter((line) => !ABOUT_LINK.test(line))).to.deep.equal([]);
  });

  it('is what Pod Security does not warn of: pods, hooks and tests', async () => {
    expect((await dryRun(JSON.stringify(privileged))).stderr, 'it warns').to.include('would violate PodSecurity');
    for (const what of ['manifest', 'hooks']) {
      const objects = await helm(['get', what, RELEASE, ...PLACE]);
      // The account of a test is there while the test runs, and a pod without its account is not judged.
      const { code, stderr } = await dryRun(
        objects.replaceAll(/serviceAccountName: orb-test-\S+/g, 'serviceAccountName: default'),
      );
      expect([what, code, warnings(stderr)]).to.deep.equal([what, 0, []]);
    }
  });

  it('has all pods ready, none of them restarted', async () => {
    const found = await pods();
    expect(
      found.map((pod) => String(at(pod, 'metadata', 'labels', 'app.kubernetes.io/component'))).toSorted(),
    ).to.deep.equal(['api', 'operator', 'operator', 'status-prober']);
    for (const pod of found) {
      const [status] = listAt(pod, 'status', 'containerStatuses');
      expect([nameOf(pod), at(status, 'ready'), at(status, 'restartCount')]).to.deep.equal([nameOf(pod), true, 0]);
      say(`${nameOf(pod)}: ${readySeconds(pod)} s from start to ready`);
    }
  });

  it('passes helm test, which reads the status and sends a webhook', async () => {
    expect(await testRelease())
      .to.match(/SUITE:\s+orb-test-status\s/)
      .and.match(/Phase:\s+Succeeded/)
      .and.not.include('Failed');
  });

  it('says that there is no Prometheus, what that means, and what comes next', async () => {
    expect(installed.stdout).to.include('There is no Prometheus').and.to.include('kubectl orb keys create');
    const called = { type: 'http', method: 'GET', url: 'https://words.example/v1' };
    await tenant.apply({
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { name: 'words' },
      spec: {
        orb_id: 'e2e.words@1.0.0',
        provider: 'one',
        description: 'Has two providers.',
        inputs: {},
        outputs: {},
        execution: called,
        providers: { other: { execution: called } },
        swap_config: { fallbacks: ['other'], strategy: 'latency', probe: { mode: 'none' } },
      },
    });
    const orb = await tenant.until('orb/words', (object) => metricsOf(object) !== undefined, PATIENCE_MS);
    expect([at(metricsOf(orb), 'status'), at(metricsOf(orb), 'reason')]).to.deep.equal(['Unknown', 'NotConfigured']);
  });

  it('labels all that it makes', async () => {
    const manifest = await helm(['get', 'manifest', RELEASE, ...PLACE]);
    const made = objectsIn(await kubectlOk(node, [...PLACE, 'get', '-f', '-', '-o', 'json'], manifest));
    expect(made.length).to.be.above(20);
    const unlabelled = made.flatMap((object) => {
      const wanted = object['kind'] === 'CustomResourceDefinition' ? OF_DEFINITIONS : LABELS;
      const missing = wanted.filter((name) => typeof at(object, 'metadata', 'labels', name) !== 'string');
      return missing.length === 0 ? [] : [`${titleOf(object)}: ${missing.join(', ')}`];
    });
    expect(unlabelled).to.deep.equal([]);
  });

  it('runs nothing as root, on a root that nobody can write, without a shell', async () => {
    for (const pod of await pods()) {
      const found: unknown = JSON.parse(
        await platformKubectl('exec', nameOf(pod), '--', '/nodejs/bin/node', '-e', INSIDE),
      );
      expect([nameOf(pod), found]).to.deep.equal([nameOf(pod), [65_532, 65_532, 'EROFS', 'EROFS', false]]);
    }
  });

  it('finds the binary of libsodium in the image', async () => {
    const [pod] = (await pods()).filter((one) => nameOf(one).includes('-api-'));
    if (pod === undefined) throw new Error('no pod of the API');
    expect(await platformKubectl('logs', nameOf(pod))).to.not.include('checked by node:crypto');
  });

  it('logs no error', async () => {
    for (const pod of await pods()) {
      const written = lines(await platformKubectl('logs', nameOf(pod)));
      expect(written.length, nameOf(pod)).to.be.above(0);
      const errors = written.filter((line) => !['info', 'warn'].includes(String(at(JSON.parse(line), 'level'))));
      expect(errors, nameOf(pod)).to.deep.equal([]);
    }
  });
});
