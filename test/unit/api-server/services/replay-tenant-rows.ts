import { answersOf, get, ofOwner, post, REFUSED, type Row } from './tenant-answers.ts';

const MISSING = '404 replay-not-found';
const REPLAY = ofOwner('200', MISSING, '409 namespace-ambiguous');
const WINDOW = { from: '2026-11-01T00:00:00Z', to: '2026-11-20T00:00:00Z' };

/** Answers of a route of a tenant without `?namespace=`: each key acts for its own. */
const ownOnly = (own: string): Row['answers'] => answersOf(REFUSED, [own, own, '409 namespace-ambiguous'], [own, own]);

/** A replay of tenant `acme` that has ended. */
export const REPLAY_ID = 'rpl_019aa000-0000-7000-8000-000000000001';

/** What it was asked for, as it is stored. */
export const REPLAY_REQUEST = JSON.stringify({
  engine: 'cel',
  policy_set_digest: `sha256:${'1'.repeat(64)}`,
  baseline: 'recorded',
  window: WINDOW,
  filter: {},
  sample: {},
  stateful: 'both',
});

/** Requests to the routes of replays. */
export const replayRows: Readonly<Record<string, readonly Row[]>> = {
  'POST /policies/replay': [
    post('/policies/replay', { policy: { metadata: { name: 'limits' }, spec: {} }, window: WINDOW }, ownOnly('202')),
  ],
  'GET /replays': [{ path: '/replays', answers: ownOnly('200') }],
  'GET /replays/{replay_id}': get(`/replays/${REPLAY_ID}`, REPLAY),
  'DELETE /replays/{replay_id}': get(`/replays/${REPLAY_ID}`, REPLAY),
  'GET /replays/{replay_id}/changes': get(`/replays/${REPLAY_ID}/changes`, REPLAY),
};
