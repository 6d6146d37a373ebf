import { expect } from 'chai';
import { schemaRoute } from '../../../../../api-server/services/policy/schema-route.ts';
import { aCaller, startApp, type TestApp } from '../../../../support/api-app.ts';

describe('GET /policies/schema', () => {
  let app: TestApp;
  before(async () => (app = await startApp([schemaRoute()], { caller: aCaller({ tenants: [], scopes: new Set() }) })));
  after(() => app.close());

  it('shows facts, functions and obligations to any valid key', async () => {
    const { status, value } = await app.call('GET', '/policies/schema');
    expect([status, value]).to.have.nested.property('[1].schema', 'orb-facts/1');
    expect(value).to.have.nested.property('facts[0].path', 'orb.orb_id');
    expect(value).to.have.nested.property('obligations[0].type', 'restrictHosts');
  });

  it('answers 304 to a caller that has it', async () => {
    const { headers } = await app.call('GET', '/policies/schema');
    const etag = headers.get('etag') ?? '';
    const { status } = await app.call('GET', '/policies/schema', { headers: { 'if-none-match': etag } });
    expect([etag.length > 2, status]).to.deep.equal([true, 304]);
  });

  it('is refused without a key', async () => {
    const { status, code } = await app.call('GET', '/policies/schema', { key: null });
    expect([status, code]).to.deep.equal([401, 'unauthenticated']);
  });
});
