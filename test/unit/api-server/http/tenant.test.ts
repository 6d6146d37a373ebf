import { expect } from 'chai';
import { orbisetRef, tenantOf } from '../../../../api-server/http/tenant.ts';
import { aCaller } from '../../../support/api-app.ts';

const one = aCaller({ tenants: ['acme'] });
const two = aCaller({ tenants: ['acme', 'globex'] });
const all = aCaller({ tenants: '*' });
const none = aCaller({ tenants: [] });

const tenant = (name: string): object => ({ kind: 'tenant', tenant: name });

describe('tenantOf', () => {
  const rows: [string, typeof one, string | null, object][] = [
    ['the only tenant needs no name', one, null, tenant('acme')],
    ['the only tenant, named', one, 'acme', tenant('acme')],
    ['a foreign tenant is unknown', one, 'globex', { kind: 'unknown' }],
    ['an empty name is unknown', one, '', { kind: 'unknown' }],
    ['several tenants must be named', two, null, { kind: 'ambiguous' }],
    ['one of several, named', two, 'globex', tenant('globex')],
    ['none of several', two, 'initech', { kind: 'unknown' }],
    ['a key of all must name one', all, null, { kind: 'ambiguous' }],
    ['a key of all, named', all, 'initech', tenant('initech')],
    ['the star is no namespace', all, '*', { kind: 'unknown' }],
    ['a name that no namespace can have', all, 'a/b', { kind: 'unknown' }],
    ['a key without tenants', none, null, { kind: 'unknown' }],
    ['a key without tenants, named', none, 'acme', { kind: 'unknown' }],
  ];
  for (const [why, caller, namespace, expected] of rows) {
    it(why, () => expect(tenantOf(caller, namespace)).to.deep.equal(expected));
  }
});

describe('orbisetRef', () => {
  const acme = { namespace: 'acme', name: 'support' };
  const rows: [string, typeof one | undefined, string, object | undefined][] = [
    ['a bare name in the only tenant', one, 'support', acme],
    ['the only tenant may be written', one, 'acme.support', acme],
    ['a foreign tenant', one, 'globex.support', undefined],
    ['a bare name with several tenants', two, 'support', undefined],
    ['one of several tenants', two, 'globex.support', { namespace: 'globex', name: 'support' }],
    ['a bare name with a key of all', all, 'support', undefined],
    ['any tenant with a key of all', all, 'initech.support', { namespace: 'initech', name: 'support' }],
    ['two dots', all, 'a.b.c', undefined],
    ['an empty namespace', all, '.support', undefined],
    ['an empty name', one, 'acme.', undefined],
    ['nothing', one, '', undefined],
    ['a name with a slash', one, 'acme.a/b', undefined],
    ['upper case', one, 'Support', undefined],
    ['64 characters', one, 'a'.repeat(64), undefined],
    ['a bare name of an anonymous caller', undefined, 'support', { namespace: 'default', name: 'support' }],
    ['the tenant of an anonymous caller', undefined, 'default.support', { namespace: 'default', name: 'support' }],
    ['another tenant by an anonymous caller', undefined, 'acme.support', undefined],
    ['a bare name without tenants', none, 'support', undefined],
  ];
  for (const [why, caller, id, expected] of rows) {
    it(why, () => expect(orbisetRef(id, caller)).to.deep.equal(expected));
  }
});
