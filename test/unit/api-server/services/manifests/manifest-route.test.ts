import { expect } from 'chai';
import { manifestRoute } from '../../../../../api-server/services/manifests/manifest-route.ts';
import { aCaller, startApp } from '../../../../support/api-app.ts';

const DIGEST = `sha256:${'0a'.repeat(32)}`;
const PUBLISHED = `sha256:${'0c'.repeat(32)}`;
const JCS = '{"orb_id":"acme.echo@1.0.0","provider":"main"}';

const ledger = {
  manifest: (tenant: string, digest: string) =>
    Promise.resolve(tenant === 'acme' && digest === DIGEST ? JCS : undefined),
  publicManifest: (digest: string) => Promise.resolve(digest === PUBLISHED ? JCS : undefined),
};

describe('GET /manifests/{digest}', () => {
  const two = aCaller({ tenants: ['acme', 'globex'] });
  const rows: [string, ReturnType<typeof aCaller>, string, number, string | undefined][] = [
    ['the own one', aCaller(), `/manifests/${DIGEST}`, 200, undefined],
    ['the own one, tenant named', two, `/manifests/${DIGEST}?namespace=acme`, 200, undefined],
    ['one that nobody has', aCaller(), `/manifests/sha256:${'0b'.repeat(32)}`, 404, 'manifest-not-found'],
    ['what is no digest', aCaller(), '/manifests/latest', 404, 'manifest-not-found'],
    ['a digest in upper case', aCaller(), `/manifests/${DIGEST.toUpperCase()}`, 404, 'manifest-not-found'],
    ['one of another tenant', aCaller({ tenants: ['globex'] }), `/manifests/${DIGEST}`, 404, 'manifest-not-found'],
    [
      'one of a tenant that the key lacks',
      aCaller({ tenants: ['globex'] }),
      `/manifests/${DIGEST}?namespace=acme`,
      404,
      'manifest-not-found',
    ],
    ['several tenants, none named', two, `/manifests/${DIGEST}`, 409, 'namespace-ambiguous'],
    ['a key without the scope', aCaller({ scopes: new Set() }), `/manifests/${DIGEST}`, 403, 'forbidden'],
  ];
  for (const [why, caller, path, status, code] of rows) {
    it(`${why}: ${status} ${code ?? ''}`, async () => {
      const app = await startApp([manifestRoute(ledger)], { caller });
      const answer = await app.call('GET', path);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      await app.close();
    });
  }

  it('serves a published one to everybody, also without a key or a tenant, and lets caches keep it', async () => {
    const callers = [undefined, aCaller({ tenants: ['globex'] }), two];
    for (const caller of callers) {
      const app = await startApp([manifestRoute(ledger)], caller === undefined ? {} : { caller });
      const { status, headers, body } = await app.call('GET', `/manifests/${PUBLISHED}`, {
        key: caller === undefined ? null : 'good',
      });
      expect([status, Buffer.from(body).toString()]).to.deep.equal([200, JCS]);
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
      await app.close();
    }
  });

  it('answers 401 without a key, whether or not a tenant has the manifest', async () => {
    const app = await startApp([manifestRoute(ledger)]);
    for (const path of [`/manifests/${DIGEST}`, `/manifests/sha256:${'0b'.repeat(32)}`, '/manifests/latest']) {
      const { status, code } = await app.call('GET', path, { key: null });
      expect([status, code]).to.deep.equal([401, 'unauthenticated']);
    }
    await app.close();
  });

  it('keeps a manifest of a tenant out of shared caches', async () => {
    const app = await startApp([manifestRoute(ledger)]);
    const { headers } = await app.call('GET', `/manifests/${DIGEST}`);
    expect(headers.get('cache-control')).to.equal('private, max-age=31536000, immutable');
    await app.close();
  });

  it('serves the very bytes that the digest is over, once', async () => {
    const app = await startApp([manifestRoute(ledger)]);
    const first = await app.call('GET', `/manifests/${DIGEST}`);
    expect(Buffer.from(first.body).toString()).to.equal(JCS);
    const again = await app.call('GET', `/manifests/${DIGEST}`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect([again.status, again.body.length]).to.deep.equal([304, 0]);
    await app.close();
  });
});
