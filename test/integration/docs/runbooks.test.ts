import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { openHelm, PLATFORM_CHART, type Helm } from '../../support/cluster/platform-chart.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGES = join(ROOT, 'docs/runbooks');
/** They need a pod, or what a control plane alone has not: `orb` calls the API, `top` asks a metrics-server. */
const ELSEWHERE = /^kubectl (?:orb|top|(?:-n \S+ )?(?:logs|exec)) /;
/** Kinds of tools that a cluster may not have. */
const OF_OTHERS = /resource type "(?:servicemonitor|certificate)"/;
const FOLDERS = ['adapters', 'api-server', 'core', 'operator'];

interface Command {
  readonly page: string;
  readonly text: string;
}

const COMMANDS: readonly Command[] = readdirSync(PAGES).flatMap((page) =>
  [...readFileSync(join(PAGES, page), 'utf8').matchAll(/^kubectl .+$/gm)].map(([text]) => ({ page, text })),
);
const LOGS = COMMANDS.filter(({ text }) => / logs /.test(text));
/** What is looked at; what looks for something in it may find nothing. */
const sourceOf = (text: string): string => text.replace(/ \| (?:grep|tail|head|base64) .*$/, '');

const sources = (): string =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  ).join('\n');

describe('commands of the runbooks', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let helm: Helm;

  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm(plane.users.admin.kubeconfig);
    // There is no kubelet: hooks would wait for their pods.
    const release = ['orb', PLATFORM_CHART, '-n', PLATFORM_NAMESPACE, '--create-namespace', '--no-hooks'];
    const { code, stderr } = await helm.run(['install', ...release]);
    if (code !== 0) throw new Error(stderr);
    // What processes make that don't run here.
    await kubectlOk(plane, ['create', 'configmap', 'orb-log-head', '-n', PLATFORM_NAMESPACE]);
    const tls = ['create', 'secret', 'generic', 'orb-api-tls', '--from-literal=tls.crt=x', '-n', PLATFORM_NAMESPACE];
    await kubectlOk(plane, tls);
    await kubectlOk(plane, ['wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s']);
    const hooks = (await helm.run(['get', 'hooks', 'orb', '-n', PLATFORM_NAMESPACE])).stdout.split(/^---$/m);
    const canary = hooks.filter((text) => /^kind: (?:Orb|Orbiset|OrbSignalSource)$/m.test(text));
    await kubectlOk(plane, ['apply', '-n', PLATFORM_NAMESPACE, '-f', '-'], canary.join('---\n'));
  });
  after(async () => {
    helm.remove();
    await plane.stop();
  });

  const shell = (text: string): Promise<CommandResult> =>
    command('bash', ['-euo', 'pipefail', '-c', text.replace(/^kubectl/, plane.kubectlPath)], {
      env: { PATH: process.env['PATH'], KUBECONFIG: plane.users.admin.kubeconfig },
    });

  for (const { page, text } of COMMANDS.filter((one) => !ELSEWHERE.test(one.text)))
    it(`${page}: ${text}`, async () => {
      const { stdout, stderr } = await shell(sourceOf(text));
      const said = OF_OTHERS.test(stderr) ? '' : stderr.replace(/^No resources found.*\n$/, '');
      expect(said).to.equal('');
      // A right that the roles of the chart give must not look like a missing one.
      if (/ auth can-i (?!--list)/.test(text)) expect(stdout.trim()).to.equal('yes');
    });

  it('read whole logs: with labels kubectl shows ten lines of each pod', () => {
    expect(LOGS.length).to.be.above(20);
    expect(LOGS.filter(({ text }) => !text.includes(' --tail='))).to.deep.equal([]);
  });

  it('look in logs for what is written there', () => {
    const written = sources();
    const sought = LOGS.flatMap(({ text }) => / \| grep (?:-(?!E)\w+ )*'?([\w ]+)'?$/.exec(text)?.[1] ?? []);
    expect(sought).to.include.members(['a reconcile failed', 'was rewound', 'leading']);
    const messages = [...written.matchAll(/(?:logger|log)(?:\.(?:info|warn|error)|\[level\])\(\s*['`]([^'`]+)/g)].map(
      ([, said]) => said,
    );
    const text = `${messages.join('\n')}\n${written.match(/const detail =?[^;]+;/g)?.join('\n')}`.toLowerCase();
    expect(sought.filter((words) => !text.includes(words.toLowerCase()))).to.deep.equal([]);
  });
});
