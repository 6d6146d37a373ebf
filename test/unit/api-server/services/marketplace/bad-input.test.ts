import { expect } from 'chai';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { aJudgingMarketplace, errorsOf, type JudgingMarketplace } from '../../../../support/a-judging-marketplace.ts';
import { aPlatformAdmin, aPublisher } from '../../../../support/a-marketplace.ts';

const owner = aPublisher();
const ownerWithAdmin = aPublisher(['acme'], 'admin');
const platform = aPlatformAdmin();

const PUBLISH = '/marketplace/orbs/publish';
const STATUS = '/marketplace/orbs/acme.old@1.0.0/status';
const to = (status: unknown): object => ({ status, reason: 'a reason' });
const claim = (org: string): object => ({ org, proof: 'dns', domain: `${org}.com` });
const whole = { manifest: {}, test_results: {} };

/** Bad publications have a file beside this one. */
describe('bad input (trust.md §8.5)', () => {
  let market: JudgingMarketplace;
  before(async () => {
    market = await aJudgingMarketplace();
  });
  after(() => market.close());

  type Posted = readonly [
    why: string,
    path: string,
    content: unknown,
    by: Caller,
    status: number,
    code: string,
    ...errors: readonly string[],
  ];
  const posted: readonly Posted[] = [
    ['no report', PUBLISH, { manifest: {} }, owner, 400, 'invalid-parameter', 'missing-member /test_results'],
    ['another member', PUBLISH, { ...whole, force: true }, owner, 422, 'unknown-member', 'unknown-member /force'],
    [
      'suites that are no list',
      PUBLISH,
      { ...whole, test_suites: {} },
      owner,
      400,
      'invalid-parameter',
      'member-malformed /test_suites',
    ],
    ['a list', PUBLISH, [], owner, 400, 'invalid-parameter', 'not-an-object '],
    ['a member twice', PUBLISH, '{"manifest":1,"manifest":2}', owner, 400, 'invalid-json', 'duplicate-key /manifest'],
    ['1 MiB + 1 byte', PUBLISH, 'x'.repeat(1_048_577), owner, 413, 'body-too-large'],
    [
      'dry_run twice',
      `${PUBLISH}?dry_run=true&dry_run=false`,
      whole,
      owner,
      400,
      'invalid-parameter',
      'parameter-twice dry_run',
    ],
    ['a confusable name', '/marketplace/orgs', claim('acrne'), owner, 409, 'name-confusable', 'name-confusable /org'],
    ['the name of another tenant', '/marketplace/orgs', claim('globex'), owner, 409, 'org-taken', 'org-taken /org'],
    [
      'a forbidden change of status',
      STATUS,
      to('active'),
      owner,
      409,
      'status-transition',
      'status-transition /status',
    ],
    ['a status that is none', STATUS, to('gone'), owner, 400, 'invalid-parameter', 'member-malformed /status'],
    [
      'a tombstone that is to come back',
      '/marketplace/orbs/acme.gone@1.0.0/status',
      to('active'),
      owner,
      409,
      'status-transition',
      'status-transition /status',
    ],
    [
      'an organisation restored that is not suspended',
      '/marketplace/orgs/acme/status',
      to('restored'),
      platform,
      409,
      'status-transition',
      'status-transition /status',
    ],
    ['admin by a tenant’s key: an Orb', STATUS, to('suspended'), ownerWithAdmin, 403, 'forbidden'],
    [
      'admin by a tenant’s key: an organisation',
      '/marketplace/orgs/globex/status',
      to('suspended'),
      ownerWithAdmin,
      403,
      'forbidden',
    ],
    [
      'admin by a tenant’s key: a retraction',
      '/log/retractions',
      { index: 0, reason: 'x' },
      ownerWithAdmin,
      403,
      'forbidden',
    ],
    [
      'an id with markup, to be yanked',
      '/marketplace/orbs/%3Cscript%3E/status',
      to('yanked'),
      owner,
      404,
      'orb-not-published',
    ],
  ];
  for (const [why, path, content, caller, status, code, ...errors] of posted)
    it(`${why}: ${status} ${code}, and nothing is written`, async () => {
      const [answer, kinds] = await market.send('POST', path, { caller, content });
      expect([answer.status, answer.code, errorsOf(answer), kinds]).to.deep.equal([status, code, errors, []]);
      expect(Buffer.from(answer.body).toString()).not.to.include('<script>');
    });

  const read: readonly (readonly [path: string, status: number, code: string, ...errors: readonly string[]])[] = [
    ['/marketplace/orbs?limit=0', 400, 'invalid-parameter', 'parameter-malformed limit'],
    ['/marketplace/orbs/public?limit=0', 400, 'invalid-parameter', 'parameter-malformed limit'],
    ['/marketplace/orbs?offset=-1', 400, 'invalid-parameter', 'parameter-malformed offset'],
    ['/marketplace/orbs/public?offset=-1', 400, 'invalid-parameter', 'parameter-malformed offset'],
    ['/marketplace/orbs?tier=plaid', 400, 'invalid-parameter', 'parameter-malformed tier'],
    ['/marketplace/orbs?limit=1&limit=2', 400, 'invalid-parameter', 'parameter-twice limit'],
    ['/reputation/acme.old@1.0.0/badge?style=neon', 400, 'invalid-parameter', 'parameter-malformed style'],
    ['/reputation/acme.old@1.0.0/badge?style=flat&style=flat', 400, 'invalid-parameter', 'parameter-twice style'],
    ['/reputation/acme%2Fold@1.0.0', 404, 'orb-not-published'],
    ['/reputation/%3Cscript%3E', 404, 'orb-not-published'],
    ['/reputation/%3Cscript%3E/certificate', 404, 'orb-not-published'],
    ['/marketplace/orbs/acme%2Fold@1.0.0/test-result', 404, 'orb-not-published'],
  ];
  for (const [path, status, code, ...errors] of read)
    it(`GET ${path}: ${status} ${code}`, async () => {
      const [answer, kinds] = await market.send('GET', path, {});
      expect([answer.status, answer.code, errorsOf(answer), kinds]).to.deep.equal([status, code, errors, []]);
      expect(Buffer.from(answer.body).toString()).not.to.include('<script>');
    });

  it('GET /reputation/%3Cscript%3E/badge: 404, with an image that does not repeat the id', async () => {
    const [answer] = await market.send('GET', '/reputation/%3Cscript%3E/badge', {});
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([404, 'image/svg+xml']);
    expect(Buffer.from(answer.body).toString()).not.to.include('script');
  });

  for (const path of ['/reputation/acme.old@1.0.0/certificate', '/marketplace/orbs/acme.old@1.0.0/test-result'])
    it(`Accept: text/html of ${path}: 406 not-acceptable`, async () => {
      const [answer] = await market.send('GET', path, { headers: { accept: 'text/html' } });
      expect([answer.status, answer.code]).to.deep.equal([406, 'not-acceptable']);
    });
});
