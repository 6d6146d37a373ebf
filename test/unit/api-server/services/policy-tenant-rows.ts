import { digestOfLetter, ORB } from '../../../support/reputation-rows.ts';
import { answersOf, get, NO_KEY, ofOwner, post, REFUSED, type Answers, type Row } from './tenant-answers.ts';

const NOBODY = '404 namespace-not-found';
const MISSING = '404 policy-not-found';
const TAKEN = '409 already-exists';
const DECISION = ofOwner('200', '404 decision-not-found', '409 namespace-ambiguous');

/** Answers of a route of a tenant without `?namespace=`: each key acts for its own. */
const ownOnly = (own: string): Answers => answersOf(REFUSED, [own, own, '409 namespace-ambiguous'], [own, own]);

const A_POLICY = { metadata: { name: 'limits' }, spec: {} };

/** Requests to the routes of policies. @param decisionId of tenant `acme`; its run waits for an approval */
export const policyRows = ({
  decisionId,
}: {
  readonly decisionId: string;
}): Readonly<Record<string, readonly Row[]>> => ({
  'GET /policies/schema': get('/policies/schema', answersOf([NO_KEY, '200'], ['200', '200', '200'], ['200', '200'])),
  'GET /policies': [
    { path: '/policies', answers: ownOnly('200') },
    { path: '/policies?namespace=acme', answers: ofOwner('200', NOBODY, '200') },
  ],
  'POST /policies': [
    // Who comes second finds it there: each tenant has its own.
    post('/policies', A_POLICY, answersOf(REFUSED, ['201', '201', '409 namespace-ambiguous'], [TAKEN, '201'])),
    post('/policies?namespace=acme', A_POLICY, ofOwner(TAKEN, NOBODY, TAKEN)),
  ],
  'GET /policies/{namespace}/{name}': [
    { path: '/policies/acme/limits', answers: ofOwner('200', MISSING, '200') },
    // One of the platform for its own runs alone.
    {
      path: '/policies/orb-system/limits',
      answers: answersOf(REFUSED, [MISSING, MISSING, MISSING], [MISSING, '200']),
    },
  ],
  'PUT /policies/{namespace}/{name}': [
    post('/policies/acme/limits', A_POLICY, ofOwner('428 precondition-required', MISSING, '428 precondition-required')),
  ],
  'DELETE /policies/{namespace}/{name}': get(
    '/policies/acme/limits',
    ofOwner('428 precondition-required', MISSING, '428 precondition-required'),
  ),
  'GET /policies/{namespace}/{name}/versions': get('/policies/acme/limits/versions', ofOwner('200', MISSING, '200')),
  'GET /policies/{namespace}/{name}/versions/{digest}': get(
    `/policies/acme/limits/versions/${digestOfLetter('a')}`,
    ofOwner(MISSING, MISSING, MISSING),
  ),
  'POST /policies/{namespace}/{name}/rollback': [
    post('/policies/acme/limits/rollback', { digest: digestOfLetter('a') }, ofOwner(MISSING, MISSING, MISSING)),
  ],
  'POST /policies/{namespace}/{name}/promote': [
    post('/policies/acme/limits/promote', {}, ofOwner('200', MISSING, '200')),
  ],
  'GET /policies/coverage': [
    { path: '/policies/coverage', answers: ownOnly('200') },
    { path: '/policies/coverage?namespace=acme', answers: ofOwner('200', NOBODY, '200') },
  ],
  'POST /policies/validate': [
    post('/policies/validate', { policy: A_POLICY }, ownOnly('200')),
    post('/policies/validate?namespace=acme', { policy: A_POLICY }, ofOwner('200', NOBODY, '200')),
    post(
      '/policies/validate',
      { policy: { ...A_POLICY, metadata: { name: 'limits', namespace: 'acme' } } },
      ofOwner('200', NOBODY, '200'),
    ),
  ],
  'POST /policies/evaluate': [
    post(
      '/policies/evaluate',
      { orbiset: 'acme.support', orb_id: ORB },
      ofOwner('200', '404 orbiset-not-found', '200'),
    ),
  ],
  'GET /decisions': [
    { path: '/decisions', answers: ownOnly('200') },
    { path: '/decisions?namespace=acme', answers: ofOwner('200', NOBODY, '200') },
  ],
  'GET /decisions/{decision_id}': get(`/decisions/${decisionId}`, DECISION),
  'POST /decisions/{decision_id}/explain': get(`/decisions/${decisionId}/explain`, DECISION),
  'POST /decisions/{decision_id}/approve': get(
    `/decisions/${decisionId}/approve`,
    // The second approval of one decision comes too late.
    answersOf(
      REFUSED,
      ['404 decision-not-found', '201', '409 namespace-ambiguous'],
      ['409 approval-not-open', '404 decision-not-found'],
    ),
  ),
});
