import { expect } from 'chai';
import { importJWK, jwtVerify } from 'jose';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { certificateRoute } from '../../../../../api-server/services/reputation/certificate-route.ts';
import { keptProofs } from '../../../../../api-server/services/reputation/proofs.ts';
import { encodeUtf8 } from '../../../../../core/json/bytes.ts';
import { parseBundle } from '../../../../../core/receipt/bundle.ts';
import type { Scope } from '../../../../../core/api-key/scopes.ts';
import { verifyCertificate } from '../../../../../core/verify/verify-certificate.ts';
import { aCaller, startApp, type Called, type CallOptions, type TestApp } from '../../../../support/api-app.ts';
import { INDEX, keys, primitives } from '../../../core/verify/a-world.ts';
import { aJwt, aStatusList, certificateKeys, ISSUED_AT, STATUS_INDEX } from '../../../core/verify/a-certificate.ts';
import { aLedger, anIssued, aReader, aStanding, certificateKeyring, ORB, type Held } from './a-reader.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JWT = 'application/vc+jwt';
const BUNDLE = 'application/vnd.orb.bundle+json';
const PATH = `/reputation/${ORB}/certificate`;

describe('GET /reputation/{orb_id}/certificate', () => {
  let app: TestApp;
  let held: Held;
  let now: number;
  const get = (path = PATH, options: CallOptions = {}): Promise<Called> => app.call('GET', path, options);
  const as = (accept: string, more: Readonly<Record<string, string>> = {}): Promise<Called> =>
    get(PATH, { headers: { accept, ...more } });

  let ledgerIsAway = false;

  function open(scopes: readonly Scope[] = ['reputation:read']): Promise<TestApp> {
    const ledger = aLedger(aJwt());
    const proofs = keptProofs({
      ...ledger,
      checkpointCovering: (index) =>
        ledgerIsAway
          ? Promise.reject(new LedgerError('ledger-unavailable', 'no disk'))
          : ledger.checkpointCovering(index),
    });
    const source = { reader: aReader(() => held), proofs, keys: certificateKeyring, clock: { now: () => now } };
    return startApp([certificateRoute(source)], { caller: aCaller({ scopes: new Set(scopes) }) });
  }

  before(async () => (app = await open()));
  after(() => app.close());
  beforeEach(() => {
    held = { standing: aStanding(), issued: anIssued() };
    now = ISSUED_AT + HOUR_MS;
    ledgerIsAway = false;
  });

  it('is JSON by default: state, content, JWT and the verdict of now', async () => {
    const { status, headers, value } = await get();
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/json']);
    expect(value).to.deep.include({
      status: 'active',
      tier: 'gold',
      tier_status: 'stable',
      valid_from: '2026-11-20T00:03:11Z',
      valid_until: '2026-11-27T00:03:11Z',
      jwt: aJwt(),
    });
    expect(value).to.have.nested.property('credential.credentialSubject.id', `urn:orb:${ORB}`);
    expect(value).to.have.nested.property('verification.verdict', 'valid');
    expect(value)
      .to.have.nested.property('verification.checks')
      .that.deep.include({ id: 'inclusion', ok: true })
      .and.deep.include({ id: 'status_list', ok: true });
  });

  it('is the JWT, which jose verifies', async () => {
    const { body, headers } = await as(JWT);
    expect(headers.get('content-type')).to.equal(JWT);
    const key = await importJWK({ ...keys.certificate.jwk, alg: 'Ed25519' });
    const { payload, protectedHeader } = await jwtVerify(Buffer.from(body).toString(), key, { typ: 'vc+jwt' });
    expect(payload).to.have.nested.property('credentialSubject.tier', 'gold');
    expect(payload).not.to.have.property('vc');
    expect(protectedHeader.cty).to.equal('vc');
  });

  it('is a bundle with the proof of its entry', async () => {
    const { body } = await as(BUNDLE);
    const bundle = parseBundle(body);
    if (bundle === undefined) throw new Error('no bundle');
    const subject = { jws: bundle.jws, proof: bundle.tlog_proof, document: certificateKeys() };
    const judged = await verifyCertificate(subject, {}, primitives);
    expect([judged.verdict, judged.log?.index]).to.deep.equal(['valid', INDEX]);
  });

  it('has no proof while its entry is in no signed tree', async () => {
    held = { ...held, issued: anIssued({ logIndex: null }) };
    expect((await as(BUNDLE)).value).to.have.property('tlog_proof', null);
    const { value } = await get();
    expect(value).to.have.nested.property('verification.verdict', 'valid');
    expect(value).to.have.nested.property('verification.checks').that.deep.includes({ id: 'inclusion', ok: null });
  });

  const states: readonly (readonly [string, () => void, string, string])[] = [
    ['suspended', () => (held = { ...held, standing: aStanding({ status: 'suspended' }) }), 'suspended', 'ok'],
    [
      'of a suspended organisation',
      () => (held = { ...held, standing: aStanding({ tierStatus: 'suspended' }) }),
      'suspended',
      'ok',
    ],
    [
      'revoked',
      () => (held = { ...held, issued: anIssued({ revoked: true }), list: aStatusList({ revoked: STATUS_INDEX }) }),
      'revoked',
      'revoked',
    ],
    [
      'of a version that was yanked right after a suspension',
      () =>
        (held = {
          standing: aStanding({ status: 'yanked', tierStatus: 'suspended' }),
          issued: anIssued({ revoked: true }),
          list: aStatusList({ revoked: STATUS_INDEX }),
        }),
      'revoked',
      'revoked',
    ],
    ['expired', () => (now = ISSUED_AT + 8 * DAY_MS), 'expired', 'expired'],
  ];
  for (const [what, change, state, code] of states) {
    it(`is answered with 200 when it is ${what}`, async () => {
      change();
      const { status, value } = await get();
      expect(status).to.equal(200);
      expect(value).to.have.property('status', state);
      expect(value).to.have.nested.property('verification.code', code);
    });
  }

  it('shows the tier that the Orb holds now, as its profile does', async () => {
    held = { standing: aStanding({ tier: 'uncertified' }), issued: anIssued({ revoked: true }) };
    expect((await get()).value).to.include({ status: 'revoked', tier: 'uncertified' });
  });

  it('may be kept a minute, and never beyond its end', async () => {
    const { headers } = await get();
    expect(headers.get('cache-control')).to.equal('private, max-age=60, must-revalidate');
    expect(headers.get('last-modified')).to.equal('Fri, 20 Nov 2026 00:03:11 GMT');
    expect(headers.get('expires')).to.equal(new Date(now + 60_000).toUTCString());
    expect(headers.get('vary')).to.include('Accept');
    now = Date.parse('2026-11-27T00:02:50Z');
    expect((await get()).headers.get('expires')).to.equal('Fri, 27 Nov 2026 00:03:11 GMT');
  });

  it('is 304 while nothing changes, in each form; a revocation is always sent', async () => {
    const tags = new Set<string>();
    for (const accept of ['application/json', JWT, BUNDLE]) {
      const etag = (await as(accept)).headers.get('etag') ?? '';
      tags.add(etag);
      expect((await as(accept, { 'if-none-match': etag })).status).to.equal(304);
    }
    expect(tags.size).to.equal(3);
    held = { ...held, issued: anIssued({ revoked: true }) };
    const [json] = tags;
    expect((await as('application/json', { 'if-none-match': json ?? '' })).status).to.equal(200);
  });

  it('is shown while the ledger is away; a proof that was read before is kept', async () => {
    const other = await open();
    const ask = (accept: string): Promise<Called> => other.call('GET', PATH, { headers: { accept } });
    ledgerIsAway = true;
    expect([(await ask(JWT)).status, (await ask(BUNDLE)).code]).to.deep.equal([200, 'ledger-unavailable']);
    expect((await ask('application/json')).value)
      .to.have.nested.property('verification.checks')
      .that.deep.includes({ id: 'inclusion', ok: null });
    ledgerIsAway = false;
    const { value } = await ask(BUNDLE);
    ledgerIsAway = true;
    expect((await ask(BUNDLE)).value).to.deep.equal(value);
    await other.close();
  });

  it('takes an escaped @', async () => {
    expect((await get(`/reputation/${encodeURIComponent(ORB)}/certificate`)).status).to.equal(200);
  });

  it('was never issued: 404 with the criteria that are missing', async () => {
    const missing = [{ id: 'SCORE_GE_40', tier: 'bronze', met: false, required: 40, actual: 20 }] as const;
    held = { standing: aStanding({ tier: 'uncertified', missing }) };
    const { status, value } = await get();
    expect(status).to.equal(404);
    expect(value).to.include({ code: 'certificate-not-issued' });
    expect(value).to.have.deep.property('missing', [{ id: 'SCORE_GE_40', required: 40, actual: 20 }]);
  });

  const refused: readonly (readonly [string, string, CallOptions, number, string])[] = [
    ['an Orb that is not published', '/reputation/acme.other@1.0.0/certificate', {}, 404, 'orb-not-published'],
    ['an id without version', '/reputation/acme.echo/certificate', {}, 404, 'orb-not-published'],
    ['an id with markup', '/reputation/%3Cscript%3E/certificate', {}, 404, 'orb-not-published'],
    ['an id with a slash', '/reputation/a%2Fb@1.0.0/certificate', {}, 404, 'orb-not-published'],
    ['text/html', PATH, { headers: { accept: 'text/html' } }, 406, 'not-acceptable'],
    ['a caller without key', PATH, { key: null }, 401, 'unauthenticated'],
  ];
  for (const [what, path, options, status, code] of refused) {
    it(`refuses ${what} with ${status} ${code}`, async () => {
      const answer = await get(path, options);
      expect([answer.status, answer.code]).to.deep.equal([status, code]);
    });
  }

  it('needs the scope reputation:read', async () => {
    const other = await open(['receipts:read']);
    expect((await other.call('GET', PATH)).code).to.equal('forbidden');
    await other.close();
  });

  it('never answers with a ledger row that is no certificate', async () => {
    held = { ...held, issued: anIssued({ jwt: Buffer.from(encodeUtf8('x.y.z')).toString() }) };
    expect((await get()).status).to.equal(500);
  });
});
