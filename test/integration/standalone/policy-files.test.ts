import { expect } from 'chai';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { outputWith, startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const policy = (when: string, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'orbs.dev/v1alpha1',
    kind: 'OrbPolicy',
    metadata: { name: 'limits' },
    spec: { mode: 'Enforce', rules: [{ name: 'rule', effect: 'deny', when }], ...more },
  });

describe('policies and labels of files (policy.md §2)', function () {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;

  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const write = (name: string, text: string): void => {
    const path = join(standalone.resources, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const statusOf = async (): Promise<number> =>
    (await standalone.post('/orbisets/default/execute', { orb_id: 't.echo@1.0.0', inputs: { text: 'x' } })).status;
  const until = (wanted: number): Promise<number> => lastAnswer(statusOf, (status) => status === wanted);
  const labelledOrb = (labels: object): string => {
    const spec: unknown = JSON.parse(orbManifest('t.echo@1.0.0', { url: `http://127.0.0.1:${provider.port}/ok` }));
    return JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'echo', labels }, spec });
  };

  before(async () => {
    provider = await startProvider();
    standalone = await startStandalone({
      resources: {
        'echo.json': labelledOrb({ tier: 'prod' }),
        'orbiset.yaml': orbisetDocuments('default', {}),
        'policy.json': policy('orb.score < 50'),
      },
      flags: flags(),
    });
  });

  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('say where they do not compile, and stay in force as they were', async () => {
    expect(await statusOf()).to.equal(403);
    write('policy.json', policy('orb.scor < 50'));
    const output = await outputWith(standalone, 'does not take force');
    expect(output).to.include('did you mean orb.score?').and.to.include('/spec/rules/0/when');
    expect(await statusOf()).to.equal(403);
  });

  it('follow the labels of files', async () => {
    write(
      'policy.json',
      policy('orb.score < 50', { match: { orbs: { selector: { matchLabels: { tier: 'prod' } } } } }),
    );
    expect(await until(403)).to.equal(403);
    write('echo.json', labelledOrb({ tier: 'test' }));
    expect(await until(200)).to.equal(200);
    write('echo.json', labelledOrb({ tier: 'prod' }));
    expect(await until(403)).to.equal(403);
  });

  it('end with their file', async () => {
    rmSync(join(standalone.resources, 'policy.json'));
    expect(await until(200)).to.equal(200);
  });
});
