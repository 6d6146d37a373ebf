import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { listAt } from '../../../../hack/control-plane/json.ts';
import { readDashboards } from '../../../../hack/dashboard/dashboards.ts';
import { toPng } from '../../../../hack/dashboard/pictures.ts';

const FOLDER = 'docs/monitoring';
const MOST_BYTES = 150_000;
const SIGNATURE = '89504e470d0a1a0a';
const contents: unknown = JSON.parse(readFileSync(`${FOLDER}/pictures.json`, 'utf8'));

describe('pictures of the documentation', () => {
  for (const { name, panels } of readDashboards())
    it(`docs/monitoring/${name}.png is small and has the panels that the dashboard has: npm run docs:dashboard`, () => {
      const picture = readFileSync(`${FOLDER}/${name}.png`);
      expect(picture.subarray(0, 8).toString('hex')).to.equal(SIGNATURE);
      expect(picture.length).to.be.below(MOST_BYTES);
      const titles = [...listAt(contents, name, 'drawn'), ...listAt(contents, name, 'withoutData')];
      expect(titles).to.have.members(panels.map(({ title }) => title));
    });
});

describe('toPng', () => {
  it('keeps width and height', () => {
    const png = Buffer.from(toPng('<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"/>'));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([3, 2]);
  });
});
