import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { ontologyRoute } from '../../../../../api-server/services/ontology/ontology-route.ts';
import { startApp, type TestApp } from '../../../../support/api-app.ts';

const FILE = new URL('../../../../../core/ontology/orb-ontology-1.0.0.json', import.meta.url);
const PATH = '/.well-known/orb-ontology.json';

describe('GET /.well-known/orb-ontology.json', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp([ontologyRoute()]);
  });
  after(() => app.close());

  it('answers the file of the version, without a key', async () => {
    const { status, headers, value } = await app.call('GET', PATH, { key: null });
    expect([status, headers.get('content-type'), headers.get('cache-control')]).to.deep.equal([
      200,
      'application/json',
      'public, max-age=3600',
    ]);
    expect(value).to.deep.equal(JSON.parse(await readFile(FILE, 'utf8')));
  });

  it('answers 304 to a caller that has it', async () => {
    const etag = (await app.call('GET', PATH, { key: null })).headers.get('etag') ?? '';
    expect(etag).to.match(/^"sha256:[0-9a-f]{64}"$/);
    const same = await app.call('GET', PATH, { key: null, headers: { 'if-none-match': etag } });
    expect([same.status, same.body.length, same.headers.get('etag')]).to.deep.equal([304, 0, etag]);
    const other = await app.call('GET', PATH, { key: null, headers: { 'if-none-match': '"other"' } });
    expect(other.status).to.equal(200);
  });
});
