import { expect } from 'chai';
import { startApp } from '../../../support/api-app.ts';
import { aRoute, things } from '../../../support/test-routes.ts';

const open = aRoute({ path: '/open', scope: 'public' }, 'anOpenRoute');

describe('an API whose caches are not filled yet', () => {
  it('answers 503 not-ready and what is missing, where it could only be wrong, and serves public routes', async () => {
    let missing: readonly string[] = ['egress-switch', 'orbs'];
    const app = await startApp([things, open], { notStarted: () => missing });
    try {
      const refused = await app.call('GET', '/things');
      expect([refused.status, refused.code]).to.deep.equal([503, 'not-ready']);
      expect(JSON.stringify(refused.value)).to.include('Missing: egress-switch, orbs.');
      expect((await app.call('GET', '/open', { key: null })).status).to.equal(200);
      missing = [];
      expect((await app.call('GET', '/things')).status).to.equal(200);
    } finally {
      await app.close();
    }
  });
});
