import { expect } from 'chai';
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { aCli, type TestCli } from '../../../support/cli-io.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../manifests');
const manifests = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
/** Their providers run in npm start. A live case of any other manifest needs an account at its provider. */
const BUNDLED = ['echo', 'lookup'];

describe('the suite of each manifest in manifests/', () => {
  let cli: TestCli;
  beforeEach(() => {
    cli = aCli();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('is there, for seven manifests or more', () => {
    const suites = readdirSync(FOLDER).filter((name) => name.endsWith('.orbtest.json'));
    expect(suites).to.deep.equal(manifests.map((name) => name.replace('.yaml', '.orbtest.json')));
    expect(manifests.length).to.be.at.least(7);
  });

  for (const manifest of manifests) {
    const name = manifest.replace('.yaml', '');
    it(`passes without a finding: ${name}`, async () => {
      const { exit, out, err } = await cli.run(['test', join(FOLDER, manifest), join(FOLDER, `${name}.orbtest.json`)]);
      expect([exit, err], out).to.deep.equal([0, '']);
      expect(out).to.match(/: [4-9] passed, 0 failed, 1 skipped\n$/);
    });

    it(`requires its live case only where npm start brings the provider: ${name}`, async () => {
      const { out } = await cli.run(['test', join(FOLDER, manifest), join(FOLDER, `${name}.orbtest.json`)]);
      const [, required] = /\n {2}skipped {2}\S+\/live(.*)\n/.exec(out) ?? [];
      expect(required).to.equal(BUNDLED.includes(name) ? '' : '  (not required)');
    });
  }
});
