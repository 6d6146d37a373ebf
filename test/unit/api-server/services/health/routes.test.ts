import { expect } from 'chai';
import { healthRoutes } from '../../../../../api-server/services/health/routes.ts';
import { startApp } from '../../../../support/api-app.ts';

describe('healthRoutes', () => {
  it('answers /health with version and whole seconds of uptime, without a key', async () => {
    let monotonic = 1_000_000.25;
    const clock = { monotonic: () => monotonic };
    const app = await startApp(healthRoutes({ version: '1.2.3', clock, missing: () => [] }));
    monotonic += 61_999;
    const answer = await app.call('GET', '/health', { key: null });
    expect(answer.value).to.deep.equal({ status: 'ok', version: '1.2.3', uptime_seconds: 61 });
    await app.close();
  });

  it('is ready once nothing is missing, and alive all the time', async () => {
    let missing = ['catalog', 'self-check'];
    const clock = { monotonic: () => 0 };
    const app = await startApp(healthRoutes({ version: '1.2.3', clock, missing: () => missing }));
    const waiting = await app.call('GET', '/readyz', { key: null });
    expect([waiting.status, waiting.code, waiting.headers.get('retry-after')]).to.deep.equal([503, 'not-ready', '1']);
    expect(waiting.value).to.have.property('detail', 'Missing: catalog, self-check.');
    expect((await app.call('GET', '/livez', { key: null })).status).to.equal(200);
    expect((await app.call('GET', '/health', { key: null })).status).to.equal(200);
    missing = [];
    expect((await app.call('GET', '/readyz', { key: null })).status).to.equal(200);
    await app.close();
  });
});
