import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { objectsIn, openHelm, PLATFORM_CHART, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';

const CRDS_CHART = join(PLATFORM_CHART, '../orb-crds');
const GLOBAL = {
  storageClass: 'fast',
  postgresql: { auth: { database: 'shop' } },
  security: { allowInsecureImages: true },
  imageRegistry: 'r.example',
  imagePullSecrets: ['one', { name: 'two' }],
};

describe('the charts below another chart', () => {
  let helm: Helm;
  let folder: string;
  before(async () => {
    helm = await openHelm();
    folder = mkdtempSync(join(tmpdir(), 'orb-umbrella-'));
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    helm.remove();
  });

  /** Renders a chart that has nothing but this one and values. */
  async function below(chart: string, global: object): Promise<string> {
    const parent = mkdtempSync(join(folder, 'parent-'));
    mkdirSync(join(parent, 'charts'));
    cpSync(chart, join(parent, 'charts', basename(chart)), { recursive: true, dereference: true });
    writeFileSync(join(parent, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 1.0.0\n');
    writeFileSync(join(parent, 'values.yaml'), JSON.stringify({ global }));
    const { code, stdout, stderr } = await helm.run(['template', 'orb', parent, '-n', 'orb-system']);
    return code === 0 ? stdout : stderr;
  }

  it('render the same objects, with the global values of other charts', async () => {
    const own = objectsIn(await helm.render(['--set', 'global.imageRegistry=r.example'])).map(titleOf);
    const text = await below(PLATFORM_CHART, GLOBAL);
    expect(objectsIn(text).map(titleOf)).to.have.members(own);
    expect(text).to.include('image: "r.example/orb-platform:');
    expect(text).to.match(/imagePullSecrets:\n +- name: "one"\n +- name: "two"\n/v);
  });

  it('render the definitions alone, with the global values of other charts', async () => {
    const titles = objectsIn(await below(CRDS_CHART, GLOBAL)).map(titleOf);
    expect(titles).to.include('CustomResourceDefinition /orbs.orbs.dev');
  });

  it('refuse global values of their own that are wrong', async () => {
    expect(await below(PLATFORM_CHART, { ...GLOBAL, imageRegistry: 'r.example/' })).to.include('/global/imageRegistry');
  });
});
