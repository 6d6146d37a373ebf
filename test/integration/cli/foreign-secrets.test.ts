import { expect } from 'chai';
import { rmSync } from 'node:fs';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { anOrbProcess, type OrbEnded, type OrbProcess } from '../../support/orb-process.ts';

const NAMESPACE = 'orb-foreign-secrets';
const VALUE = 'a-value-of-mine';

describe('orb secrets set on Secrets of others', function foreign() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let namespace: TestNamespace;
  let orb: OrbProcess;
  const set = (secret: string, key: string, ...more: readonly string[]): Promise<OrbEnded> => {
    const where = ['--secret', secret, '-n', NAMESPACE, '--kubeconfig', plane.users.admin.kubeconfig];
    return orb.run(['secrets', 'set', key, '--host', 'a.example', ...where, ...more], { stdin: VALUE });
  };
  const valueOf = async (secret: string, key: string): Promise<string> =>
    Buffer.from(await namespace.kubectl('get', 'secret', secret, '-o', `jsonpath={.data.${key}}`), 'base64').toString();
  const make = (name: string, ...literals: readonly string[]): Promise<string> =>
    namespace.kubectl('create', 'secret', 'generic', name, ...literals.map((literal) => `--from-literal=${literal}`));

  before(async () => {
    plane = await sharedControlPlane();
    namespace = await testNamespace(plane, NAMESPACE);
    orb = anOrbProcess();
  });
  after(async () => {
    await namespace.remove();
    rmSync(orb.folder, { recursive: true });
  });

  it('changes no value that kubectl wrote, names it, and does so by --force', async () => {
    await make('theirs', 'KEY=their-value');
    const refused = await set('theirs', 'KEY');
    expect([refused.status, refused.out, await valueOf('theirs', 'KEY')]).to.deep.equal([2, '', 'their-value']);
    expect(refused.err).to.include('was written by kubectl-create').and.to.include('--force');
    expect((await set('theirs', 'OTHER')).status).to.equal(0);
    const forced = await set('theirs', 'KEY', '--force');
    expect([forced.status, await valueOf('theirs', 'KEY')]).to.deep.equal([0, VALUE]);
    expect((await set('theirs', 'KEY')).status).to.equal(0);
    expect(`${refused.err}${forced.err}`).not.to.include(VALUE);
  });

  it('says that a Secret is immutable, or full, and what to do', async () => {
    await make('fixed', 'A=1');
    await namespace.kubectl('patch', 'secret', 'fixed', '-p', '{"immutable":true}');
    const fixed = await set('fixed', 'KEY');
    expect([fixed.status, fixed.err.includes('fixed is immutable')]).to.deep.equal([2, true]);
    expect(fixed.err).to.include(`kubectl delete secret fixed -n ${NAMESPACE}`);
    await make('full', `A=${'x'.repeat(100_000)}`);
    for (const key of ['B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'])
      await namespace.kubectl(
        'patch',
        'secret',
        'full',
        '-p',
        JSON.stringify({ stringData: { [key]: 'x'.repeat(100_000) } }),
      );
    const where = ['--secret', 'full', '-n', NAMESPACE, '--kubeconfig', plane.users.admin.kubeconfig];
    const stdin = 'x'.repeat(200_000);
    const full = await orb.run(['secrets', 'set', 'KEY', '--host', 'a.example', ...where], { stdin });
    expect([full.status, full.err.includes('more than 1 MiB')]).to.deep.equal([2, true]);
  });
});
