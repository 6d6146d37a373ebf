import { everybody, get, type Row } from './tenant-answers.ts';

const PLAIN = '/ingest/src_aaaaaaaaaaaaaaaaaaaaaaaaaa';
const TOKEN = `${PLAIN}/0123456789abcdefghijklmnop`;

const unknown = (path: string): readonly Row[] => [{ path, body: {}, answers: everybody('404 source-not-found') }];

/** The paths of vendors: a key of the platform changes nothing there. */
export const receiveRows = (): Readonly<Record<string, readonly Row[]>> => ({
  'POST /ingest/{source_id}': unknown(PLAIN),
  'PUT /ingest/{source_id}': unknown(PLAIN),
  'GET /ingest/{source_id}': get(PLAIN, everybody('405 method-not-allowed')),
  'HEAD /ingest/{source_id}': get(PLAIN),
  'POST /ingest/{source_id}/{token}': unknown(TOKEN),
  'GET /ingest/{source_id}/{token}': get(TOKEN, everybody('405 method-not-allowed')),
  'HEAD /ingest/{source_id}/{token}': get(TOKEN),
});
