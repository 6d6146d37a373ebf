import { expect } from 'chai';
import type { ReceiptPage, ReceiptQuery } from '../../../../../adapters/ledger/port.ts';
import { ed25519Verify, sha256 } from '../../../../../adapters/keys/primitives.ts';
import { receiptListRoute } from '../../../../../api-server/services/receipts/list-route.ts';
import { createReceiptVerifier } from '../../../../../api-server/services/receipts/verify-stored.ts';
import { aCaller, startApp, TEST_NOW, type Called } from '../../../../support/api-app.ts';
import { vectorCase, vectorKeys, vectorReceipt } from '../../../../support/vector-receipts.ts';

const verifier = createReceiptVerifier(vectorKeys.document, { sha256, ed25519Verify, now: () => TEST_NOW });
const storedOf = (name: string): ReturnType<typeof vectorReceipt>['stored'] =>
  vectorReceipt(vectorCase(name).input.bundle.jws, null).stored;

const good = storedOf('active key, proof');
const altered = { ...storedOf('receipt altered'), jws: storedOf('receipt altered').jws };
const unreadable = { ...good, jws: 'x.y.z' };
const PAGE: ReceiptPage = { items: [good, altered, unreadable], nextCursor: 'bmV4dA' };

interface Asked {
  readonly answer: Called;
  readonly queries: readonly (readonly [string, ReceiptQuery])[];
}

async function ask(path: string, caller = aCaller(), page = PAGE): Promise<Asked> {
  const queries: (readonly [string, ReceiptQuery])[] = [];
  const receipts = (tenant: string, query: ReceiptQuery): Promise<ReceiptPage> => {
    queries.push([tenant, query]);
    return query.cursor === 'foreign' ? Promise.reject(new RangeError('no such cursor')) : Promise.resolve(page);
  };
  const app = await startApp([receiptListRoute({ receipts }, verifier)], { caller });
  const answer = await app.call('GET', path);
  await app.close();
  return { answer, queries };
}

describe('GET /receipts', () => {
  it('lists summaries with Orb and outcome, and verifies every signature on the way out', async () => {
    const { value } = (await ask('/receipts')).answer;
    expect(value).to.deep.include({ next_cursor: 'bmV4dA' });
    expect(value).to.have.deep.nested.property('items[0]', {
      receipt_id: good.receiptId,
      trust_score: 100,
      risk_level: 'low',
      signature_valid: true,
      timestamp: '2026-11-20T10:00:00.250Z',
      orb_id: 'acme.echo@1.2.0',
      outcome: 'success',
    });
    expect(value).to.have.nested.property('items[1].signature_valid', false);
  });

  it('shows a damaged receipt without score, and the others as they are', async () => {
    const { value } = (await ask('/receipts')).answer;
    expect(value).to.deep.nested.include({ 'items[2].trust_score': null, 'items[2].signature_valid': false });
    expect(value).to.have.nested.property('items.length', 3);
  });

  it('serves a page of 200', async () => {
    const { value } = (
      await ask('/receipts?limit=200', aCaller(), { items: Array.from({ length: 200 }, () => good), nextCursor: null })
    ).answer;
    expect(value).to.have.nested.property('items.length', 200);
    expect(value).to.have.property('next_cursor', null);
  });

  const two = aCaller({ tenants: ['acme', 'globex'] });
  const passed: [string, ReturnType<typeof aCaller>, string, readonly [string, ReceiptQuery]][] = [
    ['50 of the own tenant by default', aCaller(), '', ['acme', { limit: 50 }]],
    ['a limit', aCaller(), '?limit=200', ['acme', { limit: 200 }]],
    ['a cursor', aCaller(), '?cursor=bmV4dA', ['acme', { limit: 50, cursor: 'bmV4dA' }]],
    ['the named tenant', two, '?namespace=globex', ['globex', { limit: 50 }]],
    [
      'every filter',
      aCaller(),
      '?orb_id=acme.echo%401.2.0&outcome=orb_error&since=2026-11-20T10:00:00Z&until=2026-11-20T10:00:00.001Z',
      ['acme', { limit: 50, orbId: 'acme.echo@1.2.0', outcome: 'orb_error', since: TEST_NOW, until: TEST_NOW + 1 }],
    ],
  ];
  for (const [why, caller, query, expected] of passed) {
    it(`asks the ledger for ${why}`, async () => {
      expect((await ask(`/receipts${query}`, caller)).queries).to.deep.equal([expected]);
    });
  }

  const refused: [string, ReturnType<typeof aCaller>, string, number, string, string | undefined][] = [
    ['limit 0', aCaller(), '?limit=0', 400, 'invalid-parameter', 'limit'],
    ['limit 201', aCaller(), '?limit=201', 400, 'invalid-parameter', 'limit'],
    ['a limit that is no integer', aCaller(), '?limit=ten', 400, 'invalid-parameter', 'limit'],
    ['a malformed Orb id', aCaller(), '?orb_id=echo', 400, 'invalid-parameter', 'orb_id'],
    ['an unknown outcome', aCaller(), '?outcome=failed', 400, 'invalid-parameter', 'outcome'],
    ['a malformed time', aCaller(), '?since=yesterday', 400, 'invalid-parameter', 'since'],
    ['a malformed cursor', aCaller(), '?cursor=%00', 400, 'invalid-parameter', 'cursor'],
    ['a cursor that the ledger never gave', aCaller(), '?cursor=foreign', 400, 'invalid-parameter', 'cursor'],
    ['a parameter that does not exist', aCaller(), '?orb=acme.echo', 400, 'invalid-parameter', undefined],
    ['another tenant', aCaller(), '?namespace=globex', 404, 'namespace-not-found', undefined],
    ['several tenants, none named', two, '', 409, 'namespace-ambiguous', undefined],
    ['a key without the scope', aCaller({ scopes: new Set() }), '', 403, 'forbidden', undefined],
  ];
  for (const [why, caller, query, status, code, parameter] of refused) {
    it(`refuses ${why} with ${status} ${code}`, async () => {
      const { answer } = await ask(`/receipts${query}`, caller);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
      if (code !== 'invalid-parameter') return;
      if (parameter === undefined) expect(answer.value).to.not.have.nested.property('errors[0].parameter');
      else expect(answer.value).to.have.nested.property('errors[0].parameter', parameter);
    });
  }
});
