import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { anOrbProcess, type OrbProcess } from '../../support/orb-process.ts';

const NAMESPACE = 'orb-root-lines';

/** What `ledger init` printed, and the file that its first line makes. */
interface Printed {
  readonly lines: readonly [string, string];
  readonly file: string;
  readonly root: string;
}

describe('the lines of ledger init that take the root away', function rootLines() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let namespace: TestNamespace;
  let orb: OrbProcess;
  const rootOf = async (secret: string): Promise<string> => {
    const data = await namespace.kubectl('get', 'secret', secret, '-o', String.raw`jsonpath={.data.root\.pem}`);
    return Buffer.from(data, 'base64').toString('utf8');
  };
  const init = async (secret: string): Promise<Printed> => {
    const flags = ['-n', NAMESPACE, '--issuer', 'https://orbs.example', '--kubeconfig', plane.users.admin.kubeconfig];
    const { err } = await orb.run(['ledger', 'init', `--secret=${secret}`, ...flags]);
    const [first = '', second = ''] = err.split('\n').filter((line) => line.includes('kubectl'));
    const [, file = ''] = / > (\S+)\)$/.exec(first) ?? [];
    return { lines: [first, second], file: join(orb.folder, file), root: await rootOf(secret) };
  };
  /** Runs lines as they are pasted, without a kubeconfig of one's own. @returns exit code of the last */
  const paste = (shell: string, ...lines: readonly string[]): number | null => {
    const PATH = `${dirname(plane.kubectlPath)}:${process.env['PATH'] ?? ''}`;
    const env = { PATH, HOME: orb.folder };
    return spawnSync(shell, { cwd: orb.folder, env, input: lines.map((line) => `${line}\n`).join('') }).status;
  };
  const pemFiles = (): readonly string[] => readdirSync(orb.folder).filter((name) => name.endsWith('.pem'));

  before(async () => {
    plane = await sharedControlPlane();
    namespace = await testNamespace(plane, NAMESPACE);
  });
  beforeEach(() => (orb = anOrbProcess()));
  afterEach(() => rmSync(orb.folder, { recursive: true }));
  after(() => namespace.remove());

  for (const shell of ['sh', 'bash']) {
    it(`save the roots of two platforms in one folder, pasted into ${shell} once and again`, async () => {
      const both = [await init(`${shell}-one`), await init(`${shell}-two`)];
      for (const round of [1, 2]) {
        for (const { lines } of both) expect(paste(shell, ...lines) === 0).to.equal(round === 1);
        for (const { file, root } of both) {
          expect(root).to.match(/^-----BEGIN PRIVATE KEY-----/);
          expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).to.deep.equal([root, 0o600]);
        }
      }
      expect(await Promise.all([rootOf(`${shell}-one`), rootOf(`${shell}-two`)])).to.deep.equal(['', '']);
    });

    it(`leave the root where ${shell} could not save it`, async () => {
      const name = `${shell}-kept`;
      const { lines, file, root } = await init(name);
      const elsewhere = lines.map((line) => line.replaceAll(`secret ${name}`, 'secret nowhere'));
      expect(paste(shell, elsewhere[0] ?? '')).not.to.equal(0);
      expect(pemFiles()).to.deep.equal([]);
      expect(paste(shell, lines[1])).not.to.equal(0);
      for (const text of ['', 'somebody else’s']) {
        writeFileSync(file, text);
        expect(paste(shell, ...lines)).not.to.equal(0);
        expect([readFileSync(file, 'utf8'), await rootOf(name)]).to.deep.equal([text, root]);
      }
      rmSync(file);
      expect(paste(shell, lines[0])).to.equal(0);
      expect([readFileSync(file, 'utf8'), await rootOf(name)]).to.deep.equal([root, root]);
      expect(paste(shell, lines[1])).to.equal(0);
      expect(await rootOf(name)).to.equal('');
    });
  }

  it('mean the cluster that they were printed for, whatever is current', async () => {
    const { lines } = await init('meant');
    mkdirSync(join(orb.folder, '.kube'));
    const other = {
      'current-context': 'other',
      clusters: [{ name: 'other', cluster: { server: 'https://127.0.0.1:1' } }],
      contexts: [{ name: 'other', context: { cluster: 'other', user: 'other' } }],
      users: [{ name: 'other', user: {} }],
    };
    writeFileSync(join(orb.folder, '.kube', 'config'), JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...other }));
    for (const line of lines) {
      expect(line.match(/kubectl --kubeconfig \S+ --context \S+ /g)?.length).to.equal(line.match(/kubectl/g)?.length);
      expect(paste('sh', line)).to.equal(0);
    }
    expect(await rootOf('meant')).to.equal('');
  });
});
