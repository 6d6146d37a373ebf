import { jsonOf, echoManifest } from '../../../support/suites.ts';
import { DIGEST, digestOfLetter, ORB } from '../../../support/reputation-rows.ts';

/** Who asks: the columns of the table, in this order. */
export const COLUMNS = [
  'no key',
  'key without the scope',
  'key of another tenant',
  'key of the owner',
  'key of several tenants',
  'admin by the key of a tenant',
  'platform admin',
] as const;

export type Column = (typeof COLUMNS)[number];

/** `200`, or `404 orb-not-found`; one for each column. */
type Answers = Readonly<Record<Column, string>>;

/** A request that everybody sends. */
export interface Row {
  readonly path: string;
  readonly body?: unknown;
  readonly answers: Answers;
}

/** What belongs to the tenant `acme`. */
export interface Owned {
  readonly receiptId: string;
  /** Size of a signed tree. */
  readonly size: number;
}

/** A manifest of `acme` that nobody published. */
export const PRIVATE_DIGEST = digestOfLetter('b');
/** A second version, which the platform suspends. */
export const OTHER_VERSION = 'acme.echo@1.1.0';
const NEW_VERSION = echoManifest({ orb_id: 'acme.echo@2.0.0' });

const [ANYBODY, NO_KEY, NO_SCOPE, FORBIDDEN] = ['200', '401 unauthenticated', '403 forbidden', '403 forbidden'];

const answersOf = (
  [noKey, noScope]: readonly [string, string],
  [foreign, owner, several]: readonly [string, string, string],
  [tenantAdmin, platform]: readonly [string, string],
): Answers => ({
  'no key': noKey,
  'key without the scope': noScope,
  'key of another tenant': foreign,
  'key of the owner': owner,
  'key of several tenants': several,
  'admin by the key of a tenant': tenantAdmin,
  'platform admin': platform,
});

const REFUSED = [NO_KEY, NO_SCOPE] as const;
/** Everybody gets the same answer, also without a key. */
const everybody = (answer = ANYBODY): Answers =>
  answersOf([answer, answer], [answer, answer, answer], [answer, answer]);
/** The same answer for every key that has the scope. */
const everyKey = (answer: string): Answers => answersOf(REFUSED, [answer, answer, answer], [answer, answer]);
/** What belongs to a tenant is not there for another one (security.md S13). */
const ofOwner = (own: string, missing: string, several: string): Answers =>
  answersOf(REFUSED, [missing, own, several], [own, missing]);
/** `admin` counts in the platform namespace alone (security.md §6.2). */
const ofPlatform = (answer: string): Answers => answersOf(REFUSED, [NO_SCOPE, NO_SCOPE, NO_SCOPE], [FORBIDDEN, answer]);

const get = (path: string, answers = everybody()): readonly Row[] => [{ path, answers }];
const post = (path: string, body: unknown, answers: Answers): Row => ({ path, body: jsonOf(body), answers });

const READ = ofOwner('200', '404 orb-not-found', '409 orb-ambiguous');
const RECEIPT = ofOwner('200', '404 receipt-not-found', '409 namespace-ambiguous');

const NOBODY = '404 namespace-not-found';
/** Answers of a route of a tenant without `?namespace=`. */
const ownOnly = (own: string, several = '409 namespace-ambiguous'): Answers =>
  answersOf(REFUSED, [own, own, several], [own, own]);

const A_POLICY = { metadata: { name: 'limits' }, spec: {} };

const policies = (): Readonly<Record<string, readonly Row[]>> => ({
  'GET /policies/schema': get('/policies/schema', answersOf([NO_KEY, '200'], ['200', '200', '200'], ['200', '200'])),
  'POST /policies/validate': [
    post('/policies/validate', { policy: A_POLICY }, ownOnly('200')),
    post('/policies/validate?namespace=acme', { policy: A_POLICY }, ofOwner('200', NOBODY, '200')),
    post(
      '/policies/validate',
      { policy: { ...A_POLICY, metadata: { name: 'limits', namespace: 'acme' } } },
      ofOwner('200', NOBODY, '200'),
    ),
  ],
});

const published = (): Readonly<Record<string, readonly Row[]>> => ({
  'GET /reputation/{orb_id}': get(`/reputation/${ORB}`, everyKey('200')),
  'GET /reputation/{orb_id}/certificate': get(`/reputation/${ORB}/certificate`, everyKey('200')),
  'GET /reputation/{orb_id}/badge': get(`/reputation/${ORB}/badge`),
  'GET /marketplace/orbs': get('/marketplace/orbs', everyKey('200')),
  'GET /marketplace/orbs/public': get('/marketplace/orbs/public'),
  'GET /marketplace/orbs/{orb_id}/test-result': get(`/marketplace/orbs/${ORB}/test-result`),
  'POST /marketplace/orbs/publish': [
    post(
      '/marketplace/orbs/publish?dry_run=true',
      { manifest: NEW_VERSION, test_results: {} },
      ofOwner('200', '403 namespace-not-owned', '200'),
    ),
    post(
      '/marketplace/orbs/publish?dry_run=true&namespace=acme',
      { manifest: NEW_VERSION, test_results: {} },
      ofOwner('200', '404 namespace-not-found', '200'),
    ),
  ],
  'POST /marketplace/orbs/{orb_id}/status': [
    // It is active already: whoever may change it learns just that.
    post(
      `/marketplace/orbs/${ORB}/status`,
      { status: 'active', reason: 'a test' },
      ofOwner('409 status-transition', '403 forbidden', '409 status-transition'),
    ),
    post(
      `/marketplace/orbs/${OTHER_VERSION}/status`,
      { status: 'suspended', reason: 'a test' },
      answersOf(REFUSED, [FORBIDDEN, FORBIDDEN, FORBIDDEN], [FORBIDDEN, '200']),
    ),
  ],
  'POST /marketplace/orgs': [
    post(
      '/marketplace/orgs',
      { org: 'acme', proof: 'dns', domain: 'acme.com' },
      ofOwner('201', '409 org-taken', '201'),
    ),
    post(
      '/marketplace/orgs?namespace=acme',
      { org: 'acme', proof: 'dns', domain: 'acme.com' },
      ofOwner('201', '404 namespace-not-found', '201'),
    ),
    post(
      '/marketplace/orgs',
      { org: 'initech', proof: 'dns', domain: 'initech.com' },
      answersOf(REFUSED, ['201', '201', '409 namespace-ambiguous'], ['201', '201']),
    ),
  ],
  'POST /marketplace/orgs/{org}/verify': [
    post(
      '/marketplace/orgs/acme/verify',
      { signature: 'AAAA' },
      ofOwner('409 org-proof-failed', '404 org-not-found', '409 org-proof-failed'),
    ),
  ],
  'GET /marketplace/orgs/{org}': get('/marketplace/orgs/acme', everyKey('200')),
  'POST /marketplace/orgs/{org}/status': [
    post(
      '/marketplace/orgs/acme/status',
      { status: 'restored', reason: 'a test' },
      ofPlatform('409 status-transition'),
    ),
  ],
  'POST /log/retractions': [
    post('/log/retractions', { index: 99_999, reason: 'a test' }, ofPlatform('404 entry-not-found')),
  ],
});

/** The log and what a stranger needs beside it: for everybody. */
const forStrangers = ({ size }: Owned): Readonly<Record<string, readonly Row[]>> => ({
  'GET /.well-known/jwks.json': get('/.well-known/jwks.json'),
  'GET /.well-known/orb-keys.json': get('/.well-known/orb-keys.json'),
  'GET /.well-known/orb-context/v1': get('/.well-known/orb-context/v1'),
  'GET /.well-known/orb-status-list/{n}': get('/.well-known/orb-status-list/1'),
  'GET /.well-known/orb-ontology.json': get('/.well-known/orb-ontology.json'),
  'GET /log/checkpoint': get('/log/checkpoint'),
  'GET /log/inclusion': get(`/log/inclusion?index=0&size=${size}`),
  'GET /log/consistency': get(`/log/consistency?first=1&second=${size}`),
  'GET /log/tile/{level}/{first}': get('/log/tile/0/000', everybody('404 entry-not-found')),
  'GET /log/tile/{level}/{first}/{second}': get(`/log/tile/entries/000.p/${size}`),
  'GET /log/tile/{level}/{first}/{second}/{third}': get('/log/tile/0/x001/x002/003', everybody('404 entry-not-found')),
  'GET /log/tile/{level}/{first}/{second}/{third}/{fourth}': get(
    '/log/tile/0/x001/x002/003.p/4',
    everybody('404 entry-not-found'),
  ),
  'GET /log/tile/{level}/{first}/{second}/{third}/{fourth}/{fifth}': get(
    '/log/tile/0/x001/x002/x003/004.p/5',
    everybody('404 entry-not-found'),
  ),
  'GET /openapi.json': get('/openapi.json'),
  'GET /health': get('/health'),
  'GET /livez': get('/livez'),
  'GET /readyz': get('/readyz'),
});

const ofTenants = ({ receiptId }: Owned): Readonly<Record<string, readonly Row[]>> => ({
  'GET /receipts': [
    // Without a name a key reads what is its own.
    { path: '/receipts', answers: answersOf(REFUSED, ['200', '200', '409 namespace-ambiguous'], ['200', '200']) },
    { path: '/receipts?namespace=acme', answers: ofOwner('200', '404 namespace-not-found', '200') },
  ],
  'GET /receipts/{receipt_id}': [
    { path: `/receipts/${receiptId}`, answers: RECEIPT },
    { path: `/receipts/${receiptId}?namespace=acme`, answers: { ...RECEIPT, 'key of several tenants': '200' } },
  ],
  'GET /receipts/{receipt_id}/proof': get(`/receipts/${receiptId}/proof`, RECEIPT),
  'GET /manifests/{digest}': [
    {
      path: `/manifests/${PRIVATE_DIGEST}`,
      answers: ofOwner('200', '404 manifest-not-found', '409 namespace-ambiguous'),
    },
    ...get(`/manifests/${DIGEST}`),
  ],
  'POST /orbisets/{id}/execute': [
    post(
      '/orbisets/acme.support/execute',
      { orb_id: ORB, inputs: { text: 'hi' } },
      ofOwner('200', '404 orbiset-not-found', '200'),
    ),
  ],
  'GET /providers/{orb_id}/status': get(`/providers/${ORB}/status`, READ),
  'POST /providers/{orb_id}/swap': [post(`/providers/${ORB}/swap`, { provider: 'main', dry_run: true }, READ)],
  'DELETE /providers/{orb_id}/pin': get(`/providers/${ORB}/pin`, READ),
});

/** Requests to every route, by `METHOD path`, with their answers for each of `COLUMNS`. */
export const tenantRows = (owned: Owned): Readonly<Record<string, readonly Row[]>> => ({
  ...forStrangers(owned),
  ...ofTenants(owned),
  ...published(),
  ...policies(),
});
