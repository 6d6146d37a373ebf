import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { ORB_STATUSES } from '../../core/log-entry/entry-members.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable } from '../io/output.ts';
import { itemText } from './orb-item.ts';

const TIMEOUT_MS = 30_000;
/** Longest text that the list searches for, characters (trust.md §7). */
const MAX_TEXT = 100;
const PAGE = 100;

/** What one page of the list says about an Orb. */
type Found =
  | { readonly kind: 'problem'; readonly reply: Extract<Reply, { kind: 'problem' }> }
  | { readonly kind: 'item'; readonly item: JsonObject }
  | { readonly kind: 'none' };

/** @param id `org.name@1.0.0`; without a version: the highest active one */
async function find(id: string, server: Server, io: Io): Promise<Found> {
  const at = id.indexOf('@');
  const name = at < 0 ? id : id.slice(0, at);
  const wanted = (item: JsonObject): boolean => (at < 0 ? item['name'] === name : item['orb_id'] === id);
  const query = new URLSearchParams({ q: name.slice(0, MAX_TEXT), sort: 'name', limit: String(PAGE) });
  if (at < 0) query.set('latest', 'true');
  else query.set('status', ORB_STATUSES.join(','));
  for (let offset = 0; ; offset += PAGE) {
    query.set('offset', String(offset));
    const request = { method: 'GET', path: `marketplace/orbs?${query.toString()}`, timeoutMs: TIMEOUT_MS } as const;
    const reply = await fetchReply(server, { ...request, headers: { accept: 'application/json' } }, io);
    if (reply.kind === 'problem') return { kind: 'problem', reply };
    const item = listAt(reply.value, 'items').filter(isJsonObject).find(wanted);
    if (item !== undefined) return { kind: 'item', item };
    if (typeof member(reply.value, 'next') !== 'string') return { kind: 'none' };
  }
}

export const marketplaceShowVerb: Verb = {
  usage: 'ORB_ID',
  count: [1, 1],
  flags: [...SERVER_FLAGS, OUTPUT],
  about: 'Without a version it shows the highest active one. orb certificate get saves what proves tier and score.',
  examples: ['{orb} marketplace show acme.mailer@1.2.0', '{orb} marketplace show acme.mailer'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const [given = ''] = args.positionals;
    const id = given.includes('@') ? orbIdOf(given) : given;
    const server = await findServer(args, io);
    const found = await find(id, server, io);
    if (found.kind === 'problem') return printProblem(found.reply.status, found.reply.value, server, { format, io });
    if (found.kind === 'none')
      throw invalid(`${printable(id)}: no such published version`, 'orb marketplace list shows what is published');
    io.out(format === 'json' || format === 'yaml' ? await dataText(found.item, format) : itemText(found.item));
    return EXIT.ok;
  },
};
