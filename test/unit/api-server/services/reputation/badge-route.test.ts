import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { badgeRoute } from '../../../../../api-server/services/reputation/badge-route.ts';
import { startApp, type Called, type TestApp } from '../../../../support/api-app.ts';
import { aBadge, aJwt, FACTS, ISSUED_AT } from '../../../core/verify/a-certificate.ts';
import { anIssued, aReader, aStanding, ORB, type Held } from './a-reader.ts';

const DAY_MS = 86_400_000;

const svgOf = (called: Called): string => String(called.value);

describe('GET /reputation/{orb_id}/badge', () => {
  let app: TestApp;
  let held: Held;
  let now: number;
  const get = (path = `/reputation/${ORB}/badge`, headers: Readonly<Record<string, string>> = {}): Promise<Called> =>
    app.call('GET', path, { key: null, headers });

  before(async () => {
    app = await startApp([
      badgeRoute(
        aReader(() => held),
        { now: () => now },
      ),
    ]);
  });
  after(() => app.close());
  beforeEach(() => {
    held = { standing: aStanding(), issued: anIssued() };
    now = ISSUED_AT + 3_600_000;
  });

  it('is public, and the image that a verifier draws', async () => {
    const answer = await get();
    expect(answer.status).to.equal(200);
    expect(svgOf(answer)).to.equal(aBadge());
  });

  it('may be shown anywhere, runs nothing, and is asked for each time', async () => {
    const { headers } = await get();
    expect(headers.get('content-type')).to.equal('image/svg+xml');
    expect(headers.get('content-security-policy')).to.equal("default-src 'none'; style-src 'unsafe-inline'");
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('cache-control')).to.equal('no-cache');
  });

  it('has a strong ETag of its bytes, and 304', async () => {
    const answer = await get();
    const etag = answer.headers.get('etag') ?? '';
    expect(etag).to.equal(`"${createHash('sha256').update(answer.body).digest('hex')}"`);
    expect((await get(undefined, { 'if-none-match': etag })).status).to.equal(304);
    held = { ...held, standing: aStanding({ status: 'suspended' }) };
    expect((await get(undefined, { 'if-none-match': etag })).status).to.equal(200);
  });

  for (const style of ['flat', 'flat-square', 'plastic'] as const) {
    it(`has the style ${style}`, async () => {
      expect(svgOf(await get(`/reputation/${ORB}/badge?style=${style}`))).to.equal(aBadge(aJwt(), style));
    });
  }

  const subject = { ...FACTS.subject, tier_status: 'at_risk' } as const;
  const states: readonly (readonly [string, () => void, string])[] = [
    [
      'at risk',
      () => (held = { ...held, issued: anIssued({ jwt: aJwt({ facts: { subject } }) }) }),
      'gold 96 at risk, as of 2026-11-20',
    ],
    [
      'deprecated',
      () => (held = { ...held, standing: aStanding({ status: 'deprecated' }) }),
      'gold 96, as of 2026-11-20',
    ],
    ['suspended', () => (held = { ...held, standing: aStanding({ status: 'suspended' }) }), 'suspended'],
    [
      'suspended with its organisation',
      () => (held = { ...held, standing: aStanding({ tierStatus: 'suspended' }) }),
      'suspended',
    ],
    [
      'yanked',
      () => (held = { ...held, standing: aStanding({ status: 'yanked' }), issued: anIssued({ revoked: true }) }),
      'yanked',
    ],
    [
      'yanked right after a suspension',
      () => (held = { ...held, standing: aStanding({ status: 'yanked', tierStatus: 'suspended' }) }),
      'yanked',
    ],
    ['expired', () => (now = ISSUED_AT + 8 * DAY_MS), 'expired'],
    ['revoked', () => (held = { ...held, issued: anIssued({ revoked: true }) }), 'uncertified'],
    ['uncertified', () => (held = { standing: aStanding({ tier: 'uncertified' }) }), 'uncertified'],
  ];
  for (const [what, change, text] of states) {
    it(`says of an Orb that is ${what}: ${text}`, async () => {
      change();
      const answer = await get();
      expect(answer.status).to.equal(200);
      expect(svgOf(answer)).to.include(`<title>orb certified: ${text}</title>`);
      expect(svgOf(answer).includes('<metadata>')).to.equal(text.startsWith('gold'));
    });
  }

  it('of a name is that of its highest active version', async () => {
    expect(svgOf(await get('/reputation/acme.echo/badge'))).to.equal(aBadge());
  });

  for (const id of [
    'acme.other',
    'acme.other@1.0.0',
    'acme',
    '%3Csvg%20onload=x%3E',
    'a%2Fb',
    '%22',
    'x'.repeat(300),
  ]) {
    it(`is an image with 404 when nothing is published as ${id.slice(0, 30)}`, async () => {
      const answer = await get(`/reputation/${id}/badge`);
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([404, 'image/svg+xml']);
      expect(svgOf(answer)).to.include('<title>orb certified: unknown</title>').and.not.include('onload');
    });
  }

  for (const query of ['style=neon', 'style=flat&style=plastic', 'colour=red', 'style=']) {
    it(`answers 400 for ?${query}`, async () => {
      const answer = await get(`/reputation/${ORB}/badge?${query}`);
      expect([answer.status, answer.code]).to.deep.equal([400, 'invalid-parameter']);
    });
  }
});
