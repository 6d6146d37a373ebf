import type { Args } from '../../adapters/process/arguments.ts';
import { listAt, member } from '../../core/json/members.ts';
import { ORB_STATUSES, TIERS } from '../../core/log-entry/entry-members.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText, table, textAt } from '../io/output.ts';
import { ITEM_HEAD, itemRow } from './orb-item.ts';

const TIMEOUT_MS = 30_000;

/** Flags that the API has under the same name with `_`. */
const FILTERS = ['tier', 'min-tier', 'capability', 'org', 'status', 'updated-since', 'sort', 'limit', 'offset'];

function pathOf(args: Args): string {
  const query = new URLSearchParams();
  const text = args.positionals[0];
  if (text !== undefined) query.set('q', text);
  for (const name of FILTERS) {
    const value = args.one(name);
    if (value !== undefined) query.set(name.replaceAll('-', '_'), value);
  }
  if (args.has('latest')) query.set('latest', 'true');
  return `marketplace/orbs${query.size === 0 ? '' : `?${query.toString()}`}`;
}

/** The offset of the next page; undefined: this is the last one. */
function nextOffset(next: unknown): string | undefined {
  const mark = typeof next === 'string' ? next.indexOf('?') : -1;
  return typeof next !== 'string' || mark < 0
    ? undefined
    : (new URLSearchParams(next.slice(mark)).get('offset') ?? undefined);
}

export const marketplaceListVerb: Verb = {
  usage: '[TEXT]',
  count: [0, 1],
  flags: [
    { name: 'tier', value: 'TIER', text: 'exactly this tier, or one of a comma list', values: TIERS },
    { name: 'min-tier', value: 'TIER', text: 'this tier or a higher one', values: TIERS },
    { name: 'capability', value: 'NAME', text: 'with this capability, or a prefix such as text.' },
    { name: 'org', value: 'ORG', text: 'of this organisation' },
    { name: 'status', value: 'STATUS', text: 'comma list (active,deprecated)', values: ORB_STATUSES },
    { name: 'updated-since', value: 'TIME', text: 'changed at this time or later, such as 2026-11-20T10:00:00Z' },
    { name: 'latest', text: 'only the highest active version of each name' },
    { name: 'sort', value: 'ORDER', text: 'score, updated or name (score)', values: ['score', 'updated', 'name'] },
    { name: 'limit', value: 'N', text: 'Orbs on a page, 1 to 100 (20)' },
    { name: 'offset', value: 'N', text: 'Orbs before the page, 0 to 10000 (0)' },
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: 'TEXT is a part of name or description. The best score comes first.',
  examples: ['{orb} marketplace list', '{orb} marketplace list mail --min-tier silver --latest'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const server = await findServer(args, io);
    const headers = { accept: 'application/json' };
    const reply = await fetchReply(server, { method: 'GET', path: pathOf(args), headers, timeoutMs: TIMEOUT_MS }, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    const items = listAt(reply.value, 'items');
    if (format === 'json' || format === 'yaml') io.out(await dataText(reply.value, format));
    else if (format === 'name') io.out(items.map((item) => `${textAt(item, 'orb_id')}\n`).join(''));
    else io.out(table([ITEM_HEAD, ...items.map(itemRow)]));
    const next = nextOffset(member(reply.value, 'next'));
    if (next !== undefined) io.err(`${items.length} of ${textAt(reply.value, 'total')}; more: --offset ${next}\n`);
    return EXIT.ok;
  },
};
