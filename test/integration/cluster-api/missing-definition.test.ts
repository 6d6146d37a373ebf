import { expect } from 'chai';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { initKeys } from '../../../adapters/keys/init-keys.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startProcess, type Process } from '../../../hack/control-plane/process.ts';
import { untilReadyFile } from '../../../hack/control-plane/until-ready.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NAME = 'orbpolicies.orbs.dev';
const DEFINITION = join(ROOT, 'crds/definitions/orbpolicy.yaml');
const SAID_MS = 90_000;
const FREE = '127.0.0.1:0';
/** As docs/upgrade.md names the step that was left out. */
const NEXT = `The definition ${NAME} is missing: apply the resource definitions of this version (docs/upgrade.md). This process then continues by itself.`;

const isReady = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A program that was started, and what shows whether it is ready. */
interface Started {
  readonly process: Process;
  readonly ready: string;
  readonly log: () => string;
}

describe('a cluster with the definitions of the last version without policies', function suite() {
  this.timeout(240_000);
  let plane: ControlPlane;
  let api: Started;
  let operator: Started;
  const folder = mkdtempSync(join(tmpdir(), 'orb-definitions-'));

  function start(name: string, program: string, flags: readonly string[]): Started {
    const [ready, log] = [join(folder, `${name}.json`), join(folder, `${name}.log`)];
    const args = [join(ROOT, program), ...flags, '--metrics-listen', FREE, '--ready-file', ready];
    const started = startProcess({ name, file: process.execPath, args, log });
    return { process: started, ready, log: () => readFileSync(log, 'utf8') };
  }
  const both = (): readonly Started[] => [api, operator];

  before(async () => {
    plane = await sharedControlPlane();
    await kubectlOk(plane, ['delete', '-f', DEFINITION, '--wait=true']);
    const data = join(folder, 'data');
    await initKeys(join(data, 'keys'), { issuer: 'https://orbs.localhost', now: Date.now(), random: randomBytes });
    const kube = ['--kubeconfig', plane.users.api.kubeconfig];
    api = start('api', 'api-server/main.ts', [...kube, '--data', data, '--listen', FREE]);
    const asOperator = ['--kubeconfig', plane.users.operator.kubeconfig];
    operator = start('operator', 'operator/main.ts', [...asOperator, '--probes-listen', FREE]);
  });
  after(async () => {
    await kubectlOk(plane, ['apply', '--server-side', '-f', DEFINITION]);
    await kubectlOk(plane, ['wait', '--for=condition=Established', '--timeout=30s', '-f', DEFINITION]);
    await Promise.all(both().map((started) => started.process.stop()));
    rmSync(folder, { recursive: true });
  });

  it('keeps API and operator from getting ready, and each says in its log what to apply', async () => {
    for (const { process: started, log, ready } of both()) {
      // A busy machine takes a minute to start both.
      const said = await lastAnswer(log, (text) => text.includes(NEXT), SAID_MS);
      expect(said, started.name).to.include(NEXT);
      expect([started.name, started.ended(), existsSync(ready)]).to.deep.equal([started.name, false, false]);
      // Every other kind is there.
      expect(log().match(/The definition \S+ is missing/g)).to.deep.equal([`The definition ${NAME} is missing`]);
    }
  });

  it('is all that is missing: both are ready when it is applied, without another start', async () => {
    await kubectlOk(plane, ['apply', '--server-side', '-f', DEFINITION]);
    const answers = both().map(({ ready, process: started }) => untilReadyFile(ready, started, isReady));
    await Promise.all(answers);
    expect(both().map(({ process: started }) => started.ended())).to.deep.equal([false, false]);
  });
});
