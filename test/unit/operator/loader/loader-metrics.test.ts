import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createLoaderMetrics } from '../../../../operator/loader/loader-metrics.ts';

describe('createLoaderMetrics', () => {
  it('has every counter at 0 before the first write, and counts from there', async () => {
    const registry = new Registry();
    const metrics = createLoaderMetrics(registry);
    const lines = async (): Promise<readonly string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const before = await lines();
    for (const verb of ['apply', 'delete'])
      for (const result of ['success', 'error'])
        expect(before).to.include(`orb_manifest_loader_writes_total{verb="${verb}",result="${result}"} 0`);
    metrics.wrote('apply', 'error');
    metrics.files(3, 1);
    metrics.readable(false);
    expect(await lines()).to.include.members([
      'orb_manifest_loader_writes_total{verb="apply",result="error"} 1',
      'orb_manifest_loader_files{state="loaded"} 3',
      'orb_manifest_loader_files{state="refused"} 1',
      'orb_manifest_loader_folder_readable 0',
    ]);
  });
});
