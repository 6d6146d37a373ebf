import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseVerbArgs } from '../../../cli/args/parse-args.ts';
import { verbs } from '../../../cli/verbs.ts';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { findTool } from '../../../hack/control-plane/tools.ts';
import { apiKeySecret } from '../../support/cluster-objects.ts';
import { objectsIn, openHelm, type Helm } from '../../support/cluster/platform-chart.ts';
import { blocksOf, page } from './fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = ['installation.md', 'upgrade.md', 'uninstall.md'];
const VALUES = '# values.yaml\n';
/** How the pages call the command line. */
const ORB = /^(?:kubectl orb|npm run -s orb --|kubectl exec \S+ \S+ \S+ -- orb) (.+)$/;

const DEFINITIONS = ['orbs', 'orbisets', 'orbpolicies', 'orbpublications', 'orbsignalsources'].map(
  (name) => `CustomResourceDefinition /${name}.orbs.dev`,
);
const KINDS = 'secrets,configmaps,leases,pvc,deployments,services,serviceaccounts,roles,rolebindings,networkpolicies';
const CLUSTER_KINDS = 'crd,clusterroles,clusterrolebindings,validatingadmissionpolicies';
const TITLES = String.raw`{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name}{'\n'}{end}`;

const secret = (name: string): object => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
const serviceAccount = (name: string): object => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
const configMap = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** A command of a page, with the place where it stands. */
interface Command {
  readonly where: string;
  readonly text: string;
}

const commandsOf = (name: string): readonly Command[] =>
  blocksOf(name)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, line }) =>
      text
        .split('\n')
        .map((row, index) => ({ where: `${name}:${line + index}`, text: row.replace(/\s+#.*$/, '').trim() }))
        .filter((row) => row.text !== ''),
    );
const COMMANDS = PAGES.flatMap(commandsOf);
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);

/** Runs a line of the command line up to its verb. @throws Failure no such verb, or none of its flags */
async function checkOrb(text: string): Promise<void> {
  const words = wordsOf(text.replace(/\s+[<>]\s.*$/, ''));
  const entry = verbs.find(({ name }) => words.slice(0, name.split(' ').length).join(' ') === name);
  expect(entry, text).to.not.equal(undefined);
  if (entry !== undefined) parseVerbArgs(await entry.load(), words.slice(entry.name.split(' ').length));
}

describe('the pages about installing', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let helm: Helm;
  let folder: string;

  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm(plane.users.admin.kubeconfig);
    folder = mkdtempSync(join(tmpdir(), 'orb-pages-'));
  });
  after(async () => {
    helm.remove();
    rmSync(folder, { recursive: true });
    await plane.stop();
  });

  const shell = async (text: string): Promise<CommandResult> =>
    command('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: ROOT,
      env: {
        PATH: [dirname(plane.kubectlPath), dirname(await findTool('helm')), process.env['PATH']].join(':'),
        KUBECONFIG: plane.users.admin.kubeconfig,
      },
    });
  const shellOk = async (text: string): Promise<string> => {
    const { code, stdout, stderr } = await shell(text);
    expect(code, `${text}\n${stderr}${stdout}`).to.equal(0);
    return stdout;
  };

  /** All that is left, without what Kubernetes and Helm make themselves. */
  async function left(): Promise<readonly string[]> {
    const said = [
      await shellOk(`kubectl get ${KINDS} -n ${PLATFORM_NAMESPACE} -o jsonpath="${TITLES}"`),
      await shellOk(`kubectl get ${CLUSTER_KINDS} -o jsonpath="${TITLES}"`),
    ];
    const titles = said.flatMap((text) => text.split('\n'));
    return titles.filter((title) => title.replace(PLATFORM_NAMESPACE, '').includes('orb')).toSorted();
  }

  for (const name of PAGES) {
    it(`${name} has blocks of kinds that are tested`, () => {
      const others = blocksOf(name).filter(
        ({ language, text }) => language !== 'sh' && !(language === 'yaml' && text.startsWith(VALUES)),
      );
      expect(others).to.deep.equal([]);
    });

    for (const { text, line } of blocksOf(name).filter(({ language }) => language === 'yaml'))
      it(`the values at ${name}:${line} are taken by the chart`, async () => {
        const file = join(folder, 'values.yaml');
        writeFileSync(file, text);
        expect(objectsIn(await helm.render(['-f', file]))).to.have.length.above(10);
      });
  }

  for (const { where, text } of COMMANDS.filter((one) => one.text.startsWith('helm ')))
    it(`${where} is a command of Helm with flags that it has`, async () => {
      const [, verb = '', ...rest] = wordsOf(text);
      const { stdout } = await helm.run([verb, '--help']);
      const flags = rest.filter((word) => /^--?[a-z]/.test(word));
      expect(flags.filter((flag) => !new RegExp(`(?:^|[ ,])${flag}[ ,=]`, 'm').test(stdout))).to.deep.equal([]);
      for (const chart of rest.filter((word) => word.startsWith('charts/')))
        expect((await helm.run(['lint', '--strict', join(ROOT, chart)])).code).to.equal(0);
    });

  for (const { where, text } of COMMANDS.flatMap((one) => {
    const [, behind] = ORB.exec(one.text) ?? [];
    return behind === undefined ? [] : [{ where: one.where, text: behind }];
  }))
    it(`${where} is a command of ours with flags that it has`, async () => {
      await checkOrb(text);
    });

  it('every other command is npm or kubectl', () => {
    const known = COMMANDS.filter(({ text }) => /^(?:helm|kubectl|npm run) /.test(text));
    expect(known).to.deep.equal(COMMANDS);
    const scripts = COMMANDS.flatMap(({ text }) => /^npm run (?:-s )?(\S+)/.exec(text)?.[1] ?? []);
    const defined = readFileSync(join(ROOT, 'package.json'), 'utf8');
    expect(scripts.filter((script) => !defined.includes(`"${script}": `))).to.deep.equal([]);
  });

  describe('uninstall.md, command by command', () => {
    const key = apiKeySecret(['team']);
    // What is made at run time, by processes that don't run here.
    const made = [
      ...['orb-platform-keys', 'orb-api-tls', 'orb-canary', 'orb-canary-tls'].map(secret),
      ...['orb-log-head', 'orb-egress'].map(configMap),
      // Of a Job and a test that failed.
      ...['orb-ledger-init', 'orb-test-echo', 'orb-test-status'].map(serviceAccount),
      key.document,
    ];
    before(async () => {
      await kubectlOk(plane, ['create', 'namespace', PLATFORM_NAMESPACE]);
      // There is no kubelet: hooks and readiness would wait for pods.
      await shellOk(`helm install orb charts/orb-platform -n ${PLATFORM_NAMESPACE} --no-hooks`);
      await kubectlOk(plane, ['wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s']);
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: made });
      await kubectlOk(plane, ['-n', PLATFORM_NAMESPACE, 'apply', '-f', '-'], list);
      // Nor is there the controller that lets a claim go which no pod uses.
      const unprotected = `-p '{"metadata":{"finalizers":null}}'`;
      await shellOk(`kubectl patch pvc orb-ledger -n ${PLATFORM_NAMESPACE} --type merge ${unprotected}`);
      await shellOk('kubectl create namespace team && kubectl apply -n team -k manifests/kubernetes/base');
    });

    const stays = [
      ...DEFINITIONS,
      'ConfigMap orb-system/orb-egress',
      'ConfigMap orb-system/orb-log-head',
      'PersistentVolumeClaim orb-system/orb-ledger',
      'Secret orb-system/orb-api-tls',
      'Secret orb-system/orb-canary',
      'Secret orb-system/orb-canary-tls',
      'Secret orb-system/orb-platform-keys',
      'ServiceAccount orb-system/orb-ledger-init',
      'ServiceAccount orb-system/orb-test-echo',
      'ServiceAccount orb-system/orb-test-status',
      `Secret orb-system/${key.name}`,
    ];

    it('the first leaves what the table says, and the objects of people', async () => {
      const [first] = blocksOf('uninstall.md').filter(({ language }) => language === 'sh');
      await shellOk(first?.text ?? '');
      expect(await left()).to.have.members(stays);
      const orbs = await shellOk('kubectl get orbs,orbisets -n team -o name');
      // Seven Orbs and an Orbiset.
      expect(orbs.trim().split('\n')).to.have.length(8);
    });

    it('the table names each of them', () => {
      const text = page('uninstall.md');
      const names = stays.filter((title) => !title.endsWith(key.name) && !title.startsWith('Custom'));
      expect(names.filter((title) => !text.includes(`\`${title.split('/')[1]}\``))).to.deep.equal([]);
      expect(text).to.include('`orbs.dev/api-key`');
    });

    it('the others remove all of it', async () => {
      const [, rest] = blocksOf('uninstall.md').filter(({ language }) => language === 'sh');
      await shellOk(rest?.text ?? '');
      expect(await left()).to.deep.equal([]);
    });
  });
});
