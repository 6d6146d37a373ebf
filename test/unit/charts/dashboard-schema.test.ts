import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { at, isRecord, listAt, textAt } from '../../../hack/control-plane/json.ts';
import { readDashboards, withoutVariables } from '../../../hack/dashboard/dashboards.ts';
import { exposedMetrics } from '../../support/exposed-metrics.ts';
import { seriesIn } from '../../support/promql-names.ts';

const FOLDER = 'charts/orb-platform/files/dashboards';
const GIVEN_BY_GRAFANA = new Set(['__rate_interval']);
const VARIABLE = /\$\{?(\w+)\}?/g;

const jsonOf = (path: string): Readonly<Record<string, unknown>> => {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (!isRecord(value)) throw new Error(`${path} is no object`);
  return value;
};
const files = readdirSync(FOLDER);
const read = (file: string): Readonly<Record<string, unknown>> => jsonOf(join(FOLDER, file));
const validate = new Ajv({ discriminator: true, allowUnionTypes: true }).compile(
  jsonOf('test/support/grafana-dashboard.schema.json'),
);
const faultsOf = (board: unknown): readonly string[] =>
  validate(board) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
const variablesOf = (board: unknown): readonly string[] =>
  listAt(board, 'templating', 'list').map((each) => textAt(each, 'name'));

describe('dashboards as Grafana reads them', () => {
  for (const file of files) {
    it(`${file} is what Grafana's schema of its panels allows`, () => {
      expect(faultsOf(read(file))).to.deep.equal([]);
    });

    it(`${file} has the variables of all, and uses no other`, () => {
      const names = variablesOf(read(file));
      expect(names).to.deep.equal(['datasource', 'namespace', 'orb']);
      const used = [...JSON.stringify(read(file)).matchAll(VARIABLE)].map(([, name = '']) => name);
      expect(
        used.filter((name) => !names.includes(name) && !GIVEN_BY_GRAFANA.has(name) && name !== '__all'),
      ).to.deep.equal([]);
    });

    it(`${file} begins with the state at a glance, and links to pages that exist`, () => {
      const panels = listAt(read(file), 'panels');
      expect(panels.slice(0, 5).map((panel) => textAt(panel, 'type'))).to.deep.equal([
        'row',
        'stat',
        'stat',
        'stat',
        'stat',
      ]);
      const urls = [read(file), ...panels].flatMap((each) => listAt(each, 'links').map((link) => textAt(link, 'url')));
      const pages = urls.filter((url) => url !== '');
      expect(pages.length).to.be.above(4);
      expect(pages.filter((page) => !existsSync(page))).to.deep.equal([]);
      const tags = listAt(read(file), 'links').flatMap((link) => listAt(link, 'tags'));
      expect(tags).to.deep.equal(listAt(read(file), 'tags'));
    });
  }

  it('mark swaps by a metric that exists', async () => {
    const exposed = await exposedMetrics();
    for (const { swaps, name } of readDashboards())
      expect(
        seriesIn(withoutVariables(swaps, '1m')).map((each) => exposed.has(each)),
        name,
      ).to.deep.equal([true]);
  });

  it('are refused with a misspelt option or an unknown type of panel', () => {
    const board = read('runs.json');
    const [row, stat] = listAt(board, 'panels');
    const options = at(stat, 'options');
    const misspelt = {
      ...(isRecord(stat) ? stat : {}),
      options: { ...(isRecord(options) ? options : {}), colourMode: 'value' },
    };
    expect(faultsOf({ ...board, panels: [row, misspelt] })).to.deep.equal([
      '/panels/1/options must NOT have additional properties',
    ]);
    expect(faultsOf({ ...board, panels: [{ type: 'graph' }] })).to.not.deep.equal([]);
  });
});
