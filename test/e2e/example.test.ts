import { expect } from 'chai';
import { ensureExample, EXAMPLE } from './support/example.ts';
import { installPlugin, type Plugin } from './support/plugin.ts';
import { testRelease } from './support/release.ts';

describe('the example of the chart', () => {
  let plugin: Plugin;
  let key = '';

  before(async () => {
    plugin = await installPlugin();
    await ensureExample();
    key = await plugin.key(EXAMPLE, 'receipts:read');
  });
  after(() => plugin.remove());

  /** Newest first. */
  const receipts = async (): Promise<readonly string[]> => {
    const text = await plugin.ok(['receipts', 'list', '-o', 'name', '-n', EXAMPLE], { ORB_API_KEY: key });
    return text.split('\n').filter((line) => line !== '');
  };

  it('passes helm test, which executes its Orb and verifies the receipt', async () => {
    const before = await receipts();
    const said = await testRelease();
    for (const name of ['orb-test-health', 'orb-test-echo']) expect(said).to.match(new RegExp(`SUITE:\\s+${name}\\s`));
    expect(said).not.to.contain('Failed');
    const [newest = ''] = await receipts();
    expect(newest).to.match(/rcpt_/);
    expect(before, 'receipts of before').not.to.include(newest);
  });
});
