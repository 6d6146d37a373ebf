import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { formatOf } from '../args/format.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable, table } from '../io/output.ts';
import { fetchReply } from './answer.ts';
import { printProblem } from './problem.ts';
import { findServer } from './server.ts';

const TIMEOUT_MS = 30_000;

/** A list of the API, `{items, next_cursor}`, and how its items are shown. */
export interface Page {
  /** Relative to the address of the API, without a query. */
  readonly path: string;
  /** Parameters of the query; undefined ones are left out. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly head: readonly string[];
  /** The cells of an item, under `head`. */
  readonly rowOf: (item: JsonValue) => readonly string[];
  /** What `-o name` prints of an item. */
  readonly nameOf: (item: JsonValue) => string;
}

/** A path with those parameters of a query that have a value. */
export function withQuery(path: string, given: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value !== undefined) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Fetches and prints one page; the flag for the next one goes to stderr. @returns the exit code */
export async function printPage(args: Args, io: Io, { path, query, head, rowOf, nameOf }: Page): Promise<Exit> {
  const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
  const server = await findServer(args, io);
  const headers = { accept: 'application/json' };
  const request = { method: 'GET', path: withQuery(path, query), headers, timeoutMs: TIMEOUT_MS } as const;
  const reply = await fetchReply(server, request, io);
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
  const items = listAt(reply.value, 'items');
  if (format === 'json' || format === 'yaml') io.out(await dataText(reply.value, format));
  else if (format === 'name') io.out(items.map((item) => `${nameOf(item)}\n`).join(''));
  else io.out(table([head, ...items.map(rowOf)]));
  const next = member(reply.value, 'next_cursor');
  if (typeof next === 'string') io.err(`more: --cursor ${printable(next)}\n`);
  return EXIT.ok;
}
