import { expect } from 'chai';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { outputWith, startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const call = (name: string): unknown => ({ orb_id: `t.${name}@1.0.0`, inputs: { text: 'x' } });

describe('what must outlive a broken file, a rival and a stop', function () {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;

  const at = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const write = (name: string, text: string): void => {
    const path = join(standalone.resources, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const restart = async (): Promise<void> => {
    const data = dirname(standalone.data);
    expect(await standalone.stop()).to.equal(0);
    standalone = await startStandalone({ data, resources: {}, flags: flags() });
  };
  const statusOf = async (name: string): Promise<number> =>
    (await standalone.post('/orbisets/default/execute', call(name))).status;
  const until = (wanted: number, name: string): Promise<number> =>
    lastAnswer(
      () => statusOf(name),
      (status) => status === wanted,
    );

  before(async () => {
    provider = await startProvider();
    standalone = await startStandalone({
      resources: {
        'held.json': orbManifest('t.held@1.0.0', { url: at('/ok') }),
        'slow.json': orbManifest('t.slow@1.0.0', { url: at('/slow') }),
        'orbiset.yaml': orbisetDocuments('default', {}),
      },
      flags: flags(),
    });
  });

  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('keeps an orb_id with the Orb that had it first, whatever the name of a later one', async () => {
    const spec: unknown = JSON.parse(orbManifest('t.held@1.0.0', { url: at('/status/404') }));
    const rival = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'aaa' }, spec };
    write('rival.json', JSON.stringify(rival));
    expect(await outputWith(standalone, 'OrbIdConflict')).to.include('OrbIdConflict');
    expect(await statusOf('held')).to.equal(200);
    await restart();
    expect(await statusOf('held')).to.equal(200);
  });

  it('ends a run whose caller has gone before it stops', async () => {
    const left = new AbortController();
    const url = `${standalone.ready.url}/orbisets/default/execute`;
    const headers = { authorization: `Bearer ${standalone.ready.api_key}`, 'content-type': 'application/json' };
    const gone = fetch(url, { method: 'POST', headers, body: JSON.stringify(call('slow')), signal: left.signal }).catch(
      () => 'gone',
    );
    while (provider.seen.at(-1)?.url !== '/slow') await delay(20);
    left.abort();
    expect(await gone).to.equal('gone');
    await restart();
    const listed = await (await standalone.get('/receipts?limit=1&orb_id=t.slow@1.0.0')).text();
    expect(listed).to.include('"outcome":"success"');
  });

  it('stays suspended when the file of the Orbiset breaks and the process starts again', async () => {
    write('orbiset.yaml', orbisetDocuments('default', {}, { suspended: true }));
    expect(await until(503, 'held')).to.equal(503);
    write('orbiset.yaml', `${orbisetDocuments('default', {}, { suspended: true })}\n: : :\n`);
    await restart();
    expect(await statusOf('held')).to.equal(503);
    const said = 'the previous content of the file stays in use';
    expect(await outputWith(standalone, said)).to.include(said);
    write('orbiset.yaml', orbisetDocuments('default', {}));
    expect(await until(200, 'held')).to.equal(200);
  });
});
