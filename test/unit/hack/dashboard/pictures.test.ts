import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readDashboards } from '../../../../hack/dashboard/dashboards.ts';

const TITLE = /<text class="t"[^>]*>([^<]*)<\/text>/g;

describe('pictures of the documentation', () => {
  for (const { name, panels } of readDashboards())
    it(`docs/monitoring/${name}.svg shows the panels that the dashboard has: npm run docs:dashboard`, () => {
      const picture = readFileSync(`docs/monitoring/${name}.svg`, 'utf8');
      const shown = [...picture.matchAll(TITLE)].map(([, title]) => title);
      expect(shown).to.deep.equal(panels.map(({ title }) => title));
    });
});
