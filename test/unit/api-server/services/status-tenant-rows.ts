import { everybody, get, ofPlatform, post, type Row } from './tenant-answers.ts';

const WINDOW = { from: '2099-01-01T00:00:00.000Z', to: '2099-01-01T01:00:00.000Z' };
const UNKNOWN = '/status/maintenance/mnt_019aa000-0000-7000-8000-000000000001';

/** Requests to the routes of the status. Nothing was measured here. */
export const statusRows: Readonly<Record<string, readonly Row[]>> = {
  'GET /status': get('/status', everybody('503 status-not-measured')),
  'GET /status/days': get('/status/days'),
  'GET /status/maintenance': get('/status/maintenance'),
  'GET /status/intervals': get('/status/intervals', ofPlatform('200')),
  'POST /status/rounds': [post('/status/rounds', { prober: 'orb-status-prober', rounds: [] }, ofPlatform('200'))],
  'POST /status/maintenance': [
    post('/status/maintenance', { ...WINDOW, services: ['runtime'], title: 'Disks' }, ofPlatform('201')),
  ],
  'DELETE /status/maintenance/{id}': get(UNKNOWN, ofPlatform('404 maintenance-not-found')),
};
