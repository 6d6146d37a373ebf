import { expect } from 'chai';
import { testResultRoute } from '../../../../../api-server/services/marketplace/test-result-route.ts';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { aListedVersion } from '../../../../support/a-listed-orb.ts';
import { startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { aReport } from '../../../../support/reputation-rows.ts';

const etagOf = ({ headers }: Called): string => headers.get('etag') ?? '';

describe('GET /marketplace/orbs/{orb_id}/test-result', () => {
  let app: TestApp;
  let stored: Awaited<ReturnType<Ledger['publicTestReport']>>;
  beforeEach(async () => {
    stored = { ...aReport(), logIndex: 3 };
    const orb = aListedVersion('acme.echo@1.0.0');
    const listings = { orb: (orbId: string) => (orbId === orb.orbId ? orb : undefined) };
    app = await startApp([testResultRoute({ ledger: { publicTestReport: async () => stored }, listings })]);
  });
  afterEach(() => app.close());

  const get = (headers: Readonly<Record<string, string>> = {}, orbId = 'acme.echo@1.0.0'): Promise<Called> =>
    app.call('GET', `/marketplace/orbs/${orbId}/test-result`, { key: null, headers });

  it('gives statement, suites and place, or the JWS alone', async () => {
    expect((await get()).value).to.deep.equal({ statement: {}, jws: 'e30.e30.e30', suites: [], log: { index: 3 } });
    const jose = await get({ accept: 'application/jose' });
    expect([jose.status, jose.headers.get('content-type')]).to.deep.equal([200, 'application/jose']);
  });

  it('has the suites as they are stored: a megabyte of them is not parsed for each caller', async () => {
    stored = { ...aReport(), logIndex: 3, suites: '[{ "name": "échö",\n"cases": [] }]' };
    const answer = await get();
    expect(Buffer.from(answer.body).toString()).to.include(`"suites":${stored.suites},`);
    expect(answer.value).to.deep.include({ suites: [{ name: 'échö', cases: [] }], log: { index: 3 } });
  });

  it('is not built for a caller that has it, in either form', async () => {
    const [json, jose] = [await get(), await get({ accept: 'application/jose' })];
    expect(etagOf(json)).not.to.equal(etagOf(jose));
    stored = { ...aReport(), logIndex: 3, suites: 'no JSON' };
    expect((await get({ 'if-none-match': etagOf(json) })).status).to.equal(304);
    expect((await get({ 'if-none-match': etagOf(jose), accept: 'application/jose' })).status).to.equal(304);
  });

  it('is another one after the next report', async () => {
    const before = etagOf(await get());
    stored = { ...aReport(), logIndex: 9 };
    expect((await get({ 'if-none-match': before })).status).to.equal(200);
  });

  const refused: readonly (readonly [orbId: string, accept: string, status: number, code: string])[] = [
    ['acme.none@1.0.0', '*/*', 404, 'orb-not-published'],
    ['acme%2Fecho@1.0.0', '*/*', 404, 'orb-not-published'],
    ['%3Cb%3E', '*/*', 404, 'orb-not-published'],
    ['acme.echo@1.0.0', 'text/html', 406, 'not-acceptable'],
  ];
  for (const [orbId, accept, status, code] of refused)
    it(`${orbId} as ${accept}: ${status} ${code}`, async () => {
      const answer = await get({ accept }, orbId);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });
});
