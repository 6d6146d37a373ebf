import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { at, listAt, textAt } from '../../../hack/control-plane/json.ts';
import { readDashboards, withoutVariables } from '../../../hack/dashboard/dashboards.ts';
import { exposedMetrics } from '../../support/exposed-metrics.ts';
import { seriesIn } from '../../support/promql-names.ts';

const FOLDER = 'charts/orb-platform/files/dashboards';
const PAGES = 'docs/runbooks';
const OF_KUBELET = /^kubelet_volume_stats_/;
const NAMED = /\b(dashboard|panel) _([^_]+)_/g;
const GRID_WIDTH = 24;

const isNoRow = (panel: unknown): boolean => textAt(panel, 'type') !== 'row';
const files = readdirSync(FOLDER);
const read = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));

/** Squares of the grid that panels take. */
const squaresOf = (panel: unknown): readonly string[] => {
  const [x, y, w, h] = ['x', 'y', 'w', 'h'].map((side) => Number(at(panel, 'gridPos', side)));
  return Array.from({ length: (w ?? 0) * (h ?? 0) }, (_, index) => {
    const column = (x ?? 0) + (index % (w ?? 1));
    expect(column, textAt(panel, 'title')).to.be.below(GRID_WIDTH);
    return `${column} ${(y ?? 0) + Math.floor(index / (w ?? 1))}`;
  });
};

describe('dashboards of the chart', () => {
  it('have different names', () => {
    const uids = files.map((file) => textAt(read(file), 'uid'));
    expect(new Set(uids).size).to.equal(files.length);
    expect(uids.every((uid) => /^orb-[a-z]+$/.test(uid))).to.equal(true);
  });

  for (const file of files) {
    it(`${file} asks whatever source a person chooses`, () => {
      const [first] = listAt(read(file), 'templating', 'list');
      expect([textAt(first, 'name'), textAt(first, 'type'), textAt(first, 'query')]).to.deep.equal([
        'datasource',
        'datasource',
        'prometheus',
      ]);
      const uids = listAt(read(file), 'panels')
        .filter(isNoRow)
        .flatMap((panel) => [
          textAt(panel, 'datasource', 'uid'),
          ...listAt(panel, 'targets').map((target) => textAt(target, 'datasource', 'uid')),
        ]);
      expect(new Set(uids)).to.deep.equal(new Set(['${datasource}']));
    });

    it(`${file} lays no panel over another`, () => {
      const squares = listAt(read(file), 'panels').flatMap(squaresOf);
      expect(new Set(squares).size).to.equal(squares.length);
    });
  }

  for (const { name, panels } of readDashboards())
    it(`${name} reads only series that operator, API or kubelet have, and says what it shows`, async () => {
      const exposed = await exposedMetrics();
      expect(panels.length).to.be.above(5);
      for (const { title, description, unit, queries } of panels.filter(({ type }) => type !== 'row')) {
        expect(
          [title, description, unit].every((text) => text !== ''),
          title,
        ).to.equal(true);
        const series = queries.flatMap(({ expr }) => seriesIn(withoutVariables(expr, '1m')));
        expect(series.length, title).to.be.at.least(queries.length);
        expect(series.filter((each) => !exposed.has(each) && !OF_KUBELET.test(each))).to.deep.equal([]);
        for (const { legend } of queries) expect(legend, title).to.not.equal('');
      }
    });

  it('and their panels are called as runbooks call them', () => {
    const dashboards = readDashboards();
    const known = {
      dashboard: new Set(dashboards.map(({ title }) => title.toLowerCase().replace('orb: ', ''))),
      panel: new Set(dashboards.flatMap(({ panels }) => panels.map(({ title }) => title.toLowerCase()))),
    };
    const texts = readdirSync(PAGES).map((file) => readFileSync(join(PAGES, file), 'utf8').replaceAll(/\s+/g, ' '));
    const named = texts.flatMap((text) => [...text.matchAll(NAMED)]);
    expect(named.length).to.be.above(8);
    const unknown = named.filter(([, kind = '', name = '']) => {
      return !known[kind === 'panel' ? 'panel' : 'dashboard'].has(name.toLowerCase());
    });
    expect(unknown.map(([text]) => text)).to.deep.equal([]);
  });
});

describe('withoutVariables', () => {
  it('means all of everything', () => {
    expect(withoutVariables('rate(a{n=~"$namespace",o=~"$orb"}[$__rate_interval])', '30s')).to.equal(
      'rate(a{n=~".*",o=~".*"}[30s])',
    );
  });
});
