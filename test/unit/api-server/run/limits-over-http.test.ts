import { expect } from 'chai';
import { executeRoute } from '../../../../api-server/services/execute/execute.ts';
import { startApp, type Called, type TestApp } from '../../../support/api-app.ts';
import { createTestRuntime, type TestRuntime } from '../../../support/a-runtime.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const LIMIT = 2000;
const small = { orb_id: 'acme.echo@1.0.0', inputs: { text: 'hi' } };
const padded = (bytes: number): string => {
  const empty = JSON.stringify({ ...small, inputs: { text: '' } });
  return JSON.stringify({ ...small, inputs: { text: 'x'.repeat(bytes - empty.length) } });
};

describe('limits of an Orbiset over HTTP', () => {
  let fixture: SqliteFixture;
  let clock: FakeClock;
  let test: TestRuntime;
  let app: TestApp;
  before(async () => {
    fixture = await openSqliteFixture();
    clock = createFakeClock(1_795_168_800_000);
    test = createTestRuntime({ ledger: fixture.ledger, clock });
    test.addOrbiset('rated', { limits: { rate_per_second: 1 } });
    test.addOrbiset('governed', { policies: { rules: [] } });
    test.addOrbiset('narrow', { limits: { request_bytes: 100 } });
    test.addOrbiset('wide', { limits: { request_bytes: 8_388_608 } });
    app = await startApp([executeRoute(test.runtime)], { limits: { bodyBytes: LIMIT } });
  });
  after(async () => {
    await app.close();
    await fixture.dispose();
  });

  const post = (orbiset: string, body = JSON.stringify(small)): Promise<Called> =>
    app.call('POST', `/orbisets/${orbiset}/execute`, { body, headers: { 'content-type': 'application/json' } });
  const names = ['ratelimit-policy', 'ratelimit', 'retry-after'];
  const reported = ({ headers }: Called): readonly unknown[] => names.map((name) => headers.get(name));

  it('tells every run of its rate, and refuses the next one: 429 rate-limited', async () => {
    const first = await post('rated');
    const second = await post('rated');
    expect([first.status, ...reported(first)]).to.deep.equal([200, '"orbiset";q=1;w=1', '"orbiset";r=0;t=1', null]);
    expect([second.status, second.code, ...reported(second)]).to.deep.equal([
      429,
      'rate-limited',
      '"orbiset";q=1;w=1',
      '"orbiset";r=0;t=1',
      '1',
    ]);
    expect(test.sent).to.have.length(1);
    await clock.advance(1000);
    expect((await post('rated')).status).to.equal(200);
    expect(reported(await post('support'))).to.deep.equal([null, null, null]);
  });

  it("refuses runs of an Orbiset whose policies can't be read: 503 policy-unavailable", async () => {
    const { status, code, headers } = await post('governed');
    expect([status, code, headers.get('retry-after')]).to.deep.equal([503, 'policy-unavailable', null]);
  });

  it('takes the smaller of the platform’s and the Orbiset’s body limit, and names its setting', async () => {
    expect((await post('support', padded(LIMIT))).status).to.equal(200);
    const rows: readonly (readonly [string, number, string])[] = [
      ['support', LIMIT + 1, 'The limit is 2000 bytes (--max-request-bytes, in the chart api.maxRequestBytes).'],
      ['wide', LIMIT + 1, 'The limit is 2000 bytes (--max-request-bytes, in the chart api.maxRequestBytes).'],
      ['narrow', 101, 'The Orbiset allows 100 bytes (spec.limits.request_bytes).'],
    ];
    for (const [orbiset, bytes, detail] of rows) {
      const { status, code, value } = await post(orbiset, padded(bytes));
      expect([status, code]).to.deep.equal([413, 'body-too-large']);
      expect(value).to.have.property('detail', detail);
    }
    expect((await post('narrow', padded(100))).status).to.equal(200);
  });
});
