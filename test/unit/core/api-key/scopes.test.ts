import { expect } from 'chai';
import { SCOPE_TABLE, type Scope } from '../../../../core/api-key/scopes.ts';

/** Rights that administrators have granted by RBAC: another right here opens or closes doors that they decided about. */
const GRANTED: Readonly<Record<Scope, string>> = {
  'orbs:execute': 'create orbisets/execute, edit',
  'receipts:read': 'get orbisets/receipts, view',
  'receipts:erase': 'delete orbisets/receipts, admin',
  'providers:read': 'get orbs/swap, view',
  'providers:swap': 'create orbs/swap, edit',
  'reputation:read': 'get orbpublications, view',
  'marketplace:read': 'list orbpublications, view',
  'marketplace:publish': 'create patch orbpublications, edit',
  'policies:read': 'get list orbpolicies, view',
  'policies:write': 'create patch delete orbpolicies, admin',
  'policies:simulate': 'create orbpolicies/simulate, edit',
  'policies:approve': 'create orbpolicies/approve, admin',
  'decisions:read': 'get orbpolicies/decisions, view',
  'ingest:read': 'get orbsignalsources/signals, view',
  'ingest:admin': 'update orbsignalsources/signals, admin',
  'incidents:write': 'update orbsignalsources/incidents, admin',
  'status:report': 'create orbisets/status-rounds, none',
  admin: '* orbisets/admin, none',
};

describe('SCOPE_TABLE', () => {
  for (const [scope, granted] of Object.entries(GRANTED))
    it(`grants ${scope} by the right and the role that the documentation promises: ${granted}`, () => {
      const row = Object.entries(SCOPE_TABLE).find(([name]) => name === scope)?.[1];
      const subresource = row !== undefined && 'subresource' in row ? `/${row.subresource}` : '';
      expect(`${row?.verbs.join(' ')} ${row?.resource}${subresource}, ${row?.role}`).to.equal(granted);
    });

  it('holds no scope without a promise', () => {
    expect(Object.keys(SCOPE_TABLE)).to.have.members(Object.keys(GRANTED));
  });
});
