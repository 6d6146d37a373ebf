import { expect } from 'chai';
import type { AccessSubject } from '../../../../api-server/http/authorise.ts';
import { askWithToken, callerOf, startTokens } from '../../../support/token-callers.ts';

describe('tokens of ServiceAccounts on routes of policies (security.md §6.2)', () => {
  it('need no right where a route wants any valid token', async () => {
    const started = startTokens();
    started.server.allows = () => false;
    const caller = callerOf(
      await askWithToken(started, { scope: 'authenticated', orbiset: undefined, namespace: null }),
    );
    expect([caller?.id, caller?.tenants, caller?.scopes.size]).to.deep.equal(['sa:acme/app', [], 0]);
    expect(started.asked.map(({ kind }) => kind)).to.deep.equal(['TokenReview']);
    started.server.review = {};
    await started.clock.advance(10_000);
    expect(
      (await askWithToken(started, { scope: 'authenticated', orbiset: undefined, namespace: null })).kind,
    ).to.equal('unauthenticated');
  });

  it('may see the Orbs of a namespace with the right to execute there', async () => {
    const started = startTokens();
    const orbs: AccessSubject = { scope: 'orbs:execute', orbiset: undefined, namespace: 'other' };
    expect(callerOf(await askWithToken(started, orbs))?.tenants).to.deep.equal(['other']);
    expect(started.asked.at(-1)?.spec['resourceAttributes']).to.deep.equal({
      group: 'orbs.dev',
      verb: 'create',
      resource: 'orbisets',
      subresource: 'execute',
      namespace: 'other',
    });
  });

  const READ_POLICY: AccessSubject = {
    scope: 'policies:read',
    orbiset: undefined,
    namespace: null,
    object: { namespace: 'other', name: 'limits' },
  };

  it('are asked about the object of the path, by its namespace and name', async () => {
    const started = startTokens();
    const caller = callerOf(await askWithToken(started, READ_POLICY));
    expect(caller?.tenants).to.deep.equal(['other']);
    const attributes = started.asked.slice(1).map(({ spec }) => spec['resourceAttributes']);
    const common = { group: 'orbs.dev', resource: 'orbpolicies', namespace: 'other', name: 'limits' };
    expect(attributes).to.have.deep.members([
      { ...common, verb: 'get' },
      { ...common, verb: 'list' },
    ]);
    const malformed = await askWithToken(started, {
      ...READ_POLICY,
      object: { namespace: 'other', name: '../limits' },
    });
    expect([callerOf(malformed)?.tenants, started.asked.length]).to.deep.equal([[], 3]);
  });

  it('say whether they have a further scope in the tenant, and unknown while nobody can be asked', async () => {
    const started = startTokens();
    started.server.allows = ({ subresource }) => subresource !== 'admin';
    const caller = callerOf(
      await askWithToken(started, { scope: 'policies:approve', orbiset: undefined, namespace: 'other' }),
    );
    expect([await caller?.mayAlso?.('policies:simulate'), await caller?.mayAlso?.('admin')]).to.deep.equal([
      'yes',
      'no',
    ]);
    expect(started.asked.at(-1)?.spec['resourceAttributes']).to.deep.include({ namespace: 'other' });
    started.server.away = true;
    expect(await caller?.mayAlso?.('receipts:erase')).to.equal('unknown');
  });
});
