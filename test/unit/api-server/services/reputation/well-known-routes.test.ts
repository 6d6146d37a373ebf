import { expect } from 'chai';
import { reputationService } from '../../../../../api-server/services/reputation/service.ts';
import { wellKnownRoutes } from '../../../../../api-server/services/reputation/well-known-routes.ts';
import { startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { serviceParts } from '../../../../support/service-parts.ts';
import { aStatusList } from '../../../core/verify/a-certificate.ts';
import { aReader } from './a-reader.ts';

describe('the status lists and the vocabulary of certificates', () => {
  let app: TestApp;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Called> =>
    app.call('GET', path, { key: null, headers });

  before(async () => {
    app = await startApp(
      wellKnownRoutes(
        aReader(() => ({})),
        'https://orbs.example',
      ),
    );
  });
  after(() => app.close());

  it('serves a list as it was signed, with 304', async () => {
    const answer = await get('/.well-known/orb-status-list/1');
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, 'application/vc+jwt']);
    expect(answer.headers.get('cache-control')).to.equal('public, max-age=300');
    expect(answer.value).to.equal(aStatusList());
    const again = await get('/.well-known/orb-status-list/1', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(again.status).to.equal(304);
  });

  for (const list of ['2', '0', '01', '-1', '1e3', 'x', '9'.repeat(20)]) {
    it(`answers 404 for list ${list}`, async () => {
      expect((await get(`/.well-known/orb-status-list/${list}`)).code).to.equal('certificate-not-issued');
    });
  }

  it('serves the vocabulary, with a term for each member of a certificate', async () => {
    const answer = await get('/.well-known/orb-context/v1');
    expect(answer.headers.get('content-type')).to.equal('application/ld+json');
    expect(answer.value)
      .to.have.property('@context')
      .that.includes.keys('OrbCertificationCredential', 'tier', 'manifest_digest', 'evidence', 'criteria_met');
    const etag = answer.headers.get('etag') ?? '';
    expect((await get('/.well-known/orb-context/v1', { 'if-none-match': etag })).status).to.equal(304);
  });

  it('are routes of a service that names their scopes', async () => {
    const { parts, close } = await serviceParts();
    const routes = reputationService.routes({ ...parts, reputation: aReader(() => ({})) });
    const scopes = new Set(routes.map(({ scope }) => scope).filter((scope) => scope !== 'public'));
    expect([...scopes]).to.deep.equal(reputationService.scopes);
    expect(routes.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'get /reputation/{orb_id}/certificate',
      'get /reputation/{orb_id}/badge',
      'get /.well-known/orb-status-list/{n}',
      'get /.well-known/orb-context/v1',
    ]);
    await close();
  });
});
