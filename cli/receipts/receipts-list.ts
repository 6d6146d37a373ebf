import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { parseDuration } from '../../core/time/duration.ts';
import { formatOf } from '../args/format.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable, table, textAt, type Format } from '../io/output.ts';

const TIMEOUT_MS = 30_000;

/** `2h` = two hours ago; else a time in the format of the API. @throws Failure */
function timeOf(args: Args, name: string, now: number): string | undefined {
  const text = args.one(name);
  if (text === undefined) return undefined;
  const ago = parseDuration(text);
  const ms = ago === undefined ? Date.parse(text) : now - ago;
  if (Number.isNaN(ms))
    throw usage(`--${name} ${printable(text)}: a time such as 2026-11-20T10:00:00Z, or 2h for two hours ago`);
  return new Date(ms).toISOString();
}

function pathOf(args: Args, io: Io): string {
  const given: Readonly<Record<string, string | undefined>> = {
    limit: args.one('limit'),
    cursor: args.one('cursor'),
    orb_id: args.one('orb'),
    outcome: args.one('outcome'),
    since: timeOf(args, 'since', io.clock.now()),
    until: timeOf(args, 'until', io.clock.now()),
    namespace: args.one('namespace'),
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
  return `receipts${query.size === 0 ? '' : `?${query.toString()}`}`;
}

const HEAD = ['RECEIPT', 'ISSUED', 'ORB', 'OUTCOME', 'TRUST', 'RISK', 'SIGNATURE'];
const rowOf = (item: JsonValue): readonly string[] => [
  ...['receipt_id', 'timestamp', 'orb_id', 'outcome', 'trust_score', 'risk_level'].map((name) => textAt(item, name)),
  member(item, 'signature_valid') === true ? 'valid' : 'NOT VALID',
];

async function print(page: JsonObject, format: Format, io: Io): Promise<void> {
  const items = listAt(page, 'items');
  if (format === 'json' || format === 'yaml') io.out(await dataText(page, format));
  else if (format === 'name') io.out(items.map((item) => `${textAt(item, 'receipt_id')}\n`).join(''));
  else io.out(table([HEAD, ...items.map(rowOf)]));
  const next = member(page, 'next_cursor');
  if (typeof next === 'string') io.err(`more: --cursor ${printable(next)}\n`);
}

export const receiptsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'limit', value: 'N', text: 'receipts on a page, 1 to 200 (50)' },
    { name: 'cursor', value: 'CURSOR', text: 'the next page' },
    { name: 'orb', value: 'ORB_ID', text: 'of this Orb' },
    {
      name: 'outcome',
      value: 'OUTCOME',
      text: 'success, orb_error, timeout, policy_denied, caller_error or platform_error',
    },
    { name: 'since', value: 'TIME', text: 'issued at this time or later: a time, or 2h for two hours ago' },
    { name: 'until', value: 'TIME', text: 'issued before this time' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'of this tenant, for keys of several' },
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  examples: ['{orb} receipts list --since 24h --outcome orb_error'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const path = pathOf(args, io);
    const server = await findServer(args, io);
    const reply = await fetchReply(
      server,
      { method: 'GET', path, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS },
      io,
    );
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    await print(reply.value, format, io);
    return EXIT.ok;
  },
};
