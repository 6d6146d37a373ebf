import { replayRows } from './replay-tenant-rows.ts';
import { echoManifest } from '../../../support/suites.ts';
import { DIGEST, digestOfLetter, ORB } from '../../../support/reputation-rows.ts';
import { ingestedRows } from './ingested-tenant-rows.ts';
import { receiveRows } from './ingestion-tenant-rows.ts';
import { policyRows } from './policy-tenant-rows.ts';
import { statusRows } from './status-tenant-rows.ts';
import {
  FORBIDDEN,
  REFUSED,
  answersOf,
  everybody,
  everyKey,
  get,
  ofOwner,
  ofPlatform,
  post,
  type Row,
} from './tenant-answers.ts';

/** What belongs to the tenant `acme`. */
export interface Owned {
  readonly receiptId: string;
  /** Decision about a run that waits for an approval. */
  readonly decisionId: string;
  /** Size of a signed tree. */
  readonly size: number;
}

/** A manifest of `acme` that nobody published. */
export const PRIVATE_DIGEST = digestOfLetter('b');
/** A second version, which the platform suspends. */
export const OTHER_VERSION = 'acme.echo@1.1.0';
const NEW_VERSION = echoManifest({ orb_id: 'acme.echo@2.0.0' });

const READ = ofOwner('200', '404 orb-not-found', '409 orb-ambiguous');
const RECEIPT = ofOwner('200', '404 receipt-not-found', '409 namespace-ambiguous');

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
  'GET /orbs': [
    { path: '/orbs', answers: answersOf(REFUSED, ['200', '200', '409 namespace-ambiguous'], ['200', '200']) },
    { path: '/orbs?namespace=acme', answers: ofOwner('200', '404 namespace-not-found', '200') },
  ],
  'GET /orbs/{orb_id}': get(`/orbs/${ORB}`, READ),
  'GET /providers/{orb_id}/status': get(`/providers/${ORB}/status`, READ),
  'POST /providers/{orb_id}/swap': [post(`/providers/${ORB}/swap`, { provider: 'main', dry_run: true }, READ)],
  'DELETE /providers/{orb_id}/pin': get(`/providers/${ORB}/pin`, READ),
});

/** Requests to every route, by `METHOD path`, with their answers for each of `COLUMNS`. */
export const tenantRows = (owned: Owned): Readonly<Record<string, readonly Row[]>> => ({
  ...forStrangers(owned),
  ...ofTenants(owned),
  ...published(),
  ...policyRows(owned),
  ...receiveRows(),
  ...ingestedRows(),
  ...replayRows,
  ...statusRows,
});
