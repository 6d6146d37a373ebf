import { DEAD_ID, INCIDENT_ID, SIGNAL_ID } from '../../../support/stored-ingestion.ts';
import { answersOf, get, NO_KEY, ofOwner, post, REFUSED, type Answers, type Row } from './tenant-answers.ts';

const NOBODY = '404 namespace-not-found';

/** A list without `?namespace=` shows each key its own. */
const listed = (path: string): readonly Row[] => [
  { path, answers: answersOf(REFUSED, ['200', '200', '409 namespace-ambiguous'], ['200', '200']) },
  { path: `${path}?namespace=acme`, answers: ofOwner('200', NOBODY, '200') },
];

const one = (missing: string): Answers => ofOwner('200', `404 ${missing}`, '409 namespace-ambiguous');

/** Acts of the owner, then of the owner's admin. */
const acts = (first: string, second: string): Answers =>
  answersOf(REFUSED, ['404 incident-not-found', first, '409 namespace-ambiguous'], [second, '404 incident-not-found']);

const act = (name: string, body: unknown, second = '200'): readonly Row[] => [
  post(`/incidents/${INCIDENT_ID}/${name}`, body, acts('200', second)),
];

const bare = (name: string, first: string, second: string): readonly Row[] =>
  get(`/incidents/${INCIDENT_ID}/${name}`, acts(first, second));

/** Requests to the routes of what came of deliveries. The acts on the incident are in the order of the list. */
export const ingestedRows = (): Readonly<Record<string, readonly Row[]>> => ({
  'GET /signal-sources': listed('/signal-sources'),
  'GET /signal-sources/{namespace}/{name}': get(
    '/signal-sources/acme/hook',
    ofOwner('200', '404 source-not-found', '200'),
  ),
  'POST /signal-sources/{namespace}/{name}/dry-run': [
    post('/signal-sources/acme/hook/dry-run', { body: '{}' }, ofOwner('200', '404 source-not-found', '200')),
  ],
  'GET /signals': listed('/signals'),
  'GET /signals/{signal_id}': get(`/signals/${SIGNAL_ID}`, one('signal-not-found')),
  'GET /incidents': listed('/incidents'),
  'GET /incidents/{incident_id}': get(`/incidents/${INCIDENT_ID}`, one('incident-not-found')),
  'POST /incidents/{incident_id}/ack': bare('ack', '200', '200'),
  'POST /incidents/{incident_id}/mute': act('mute', { until: '2026-11-21T10:00:00Z' }),
  'POST /incidents/{incident_id}/updates': act('updates', { body: 'we look into it' }),
  'POST /incidents/{incident_id}/resolve': bare('resolve', '200', '409 incident-state'),
  'POST /incidents/{incident_id}/withdraw': act('withdraw', { reason: 'a test' }, '409 incident-state'),
  'GET /dead-letters': listed('/dead-letters'),
  'GET /dead-letters/{delivery_id}': get(`/dead-letters/${DEAD_ID}`, one('dead-letter-not-found')),
  'POST /dead-letters/redrive': [
    post('/dead-letters/redrive?namespace=acme', { source: 'acme/other', max: 10 }, ofOwner('200', NOBODY, '200')),
  ],
  'POST /dead-letters/{delivery_id}/redrive': get(
    `/dead-letters/${DEAD_ID}/redrive`,
    answersOf(
      REFUSED,
      ['404 dead-letter-not-found', '200', '409 namespace-ambiguous'],
      ['404 dead-letter-not-found', '404 dead-letter-not-found'],
    ),
  ),
  'GET /signal-templates/{vendor}': get(
    '/signal-templates/datadog',
    answersOf([NO_KEY, '200'], ['200', '200', '200'], ['200', '200']),
  ),
});
