import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { listAt } from '../../../../hack/control-plane/json.ts';
import { readDashboards, withoutVariables, type Panel } from '../../../../hack/dashboard/dashboards.ts';
import { toPng } from '../../../../hack/dashboard/pictures.ts';
import { seriesIn } from '../../../support/promql-names.ts';

const FOLDER = 'docs/monitoring';
const MOST_BYTES = 150_000;
const SIGNATURE = '89504e470d0a1a0a';
/** The pictures are drawn without a cluster, so without a kubelet. */
const isOfKubelet = ({ type, queries }: Panel): boolean =>
  type !== 'row' &&
  queries.every(({ expr }) => seriesIn(withoutVariables(expr, '1m')).every((one) => one.startsWith('kubelet_')));
const contents: unknown = JSON.parse(readFileSync(`${FOLDER}/pictures.json`, 'utf8'));

describe('pictures of the documentation', () => {
  for (const { name, panels } of readDashboards())
    it(`docs/monitoring/${name}.png is small and has the panels that the dashboard has: npm run docs:dashboard`, () => {
      const picture = readFileSync(`${FOLDER}/${name}.png`);
      expect(picture.subarray(0, 8).toString('hex')).to.equal(SIGNATURE);
      expect(picture.length).to.be.below(MOST_BYTES);
      const titles = panels.filter((panel) => !isOfKubelet(panel)).map(({ title }) => title);
      expect(listAt(contents, name, 'drawn')).to.have.members(titles);
    });

  it('leave out what only a kubelet knows, and nothing else', () => {
    const left = readDashboards().flatMap(({ name }) => listAt(contents, name, 'withoutData'));
    const ofKubelet = readDashboards().flatMap(({ panels }) => panels.filter(isOfKubelet).map(({ title }) => title));
    expect(left).to.deep.equal(ofKubelet);
    expect(ofKubelet).to.deep.equal(['Volume']);
  });
});

describe('toPng', () => {
  it('keeps width and height', () => {
    const png = Buffer.from(toPng('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([3, 2]);
  });
});
