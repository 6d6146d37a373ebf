import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { withQuery } from '../api/print-page.ts';
import { namedObject, type NamedObject } from '../args/tenant-flags.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { textAt } from '../io/output.ts';

const TIMEOUT_MS = 30_000;
const PAGE = '200';

export const SOURCE: Flag = { name: 'source', value: 'NAMESPACE/NAME', text: 'of this signal source' };

/** The value of `--source` as the API takes it. @throws Failure (64) its namespace is not known */
export function sourceFilter(args: Args): string | undefined {
  const text = args.one('source');
  if (text === undefined) return undefined;
  const { namespace, name } = namedObject(text, args);
  if (namespace === undefined) throw usage('--source NAMESPACE/NAME, or NAME with --namespace');
  return `${namespace}/${name}`;
}

/** `NAMESPACE/NAME` of a source in an answer. */
export const keyOfSource = (source: JsonValue): string => `${textAt(source, 'namespace')}/${textAt(source, 'name')}`;

const get = (server: Server, path: string, io: Io): Promise<Reply> =>
  fetchReply(server, { method: 'GET', path, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS }, io);

/** The source of this name in the namespace of the caller's key. */
async function ownSource(server: Server, name: string, io: Io): Promise<Reply> {
  let cursor: string | undefined;
  do {
    const reply = await get(server, withQuery('signal-sources', { limit: PAGE, cursor }), io);
    if (reply.kind === 'problem') return reply;
    const found = listAt(reply.value, 'items').find((item) => textAt(item, 'name') === name);
    if (found !== undefined) return get(server, `signal-sources/${keyOfSource(found)}`, io);
    const next = member(reply.value, 'next_cursor');
    cursor = typeof next === 'string' ? next : undefined;
  } while (cursor !== undefined);
  throw invalid(`there is no signal source ${name}`, 'orb signals sources lists those of your key');
}

/** Reads a source. @throws Failure (2) none of this name, when the command line names no namespace */
export const readSource = (server: Server, { namespace, name }: NamedObject, io: Io): Promise<Reply> =>
  namespace === undefined ? ownSource(server, name, io) : get(server, `signal-sources/${namespace}/${name}`, io);
