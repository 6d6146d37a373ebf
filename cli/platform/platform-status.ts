import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { EXIT, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt } from '../io/output.ts';
import { statusText } from './status-text.ts';

const TIMEOUT_MS = 30_000;

const BAD: ReadonlySet<string> = new Set(['unknown', 'partial_outage', 'major_outage']);

const exitOf = (status: JsonObject): Exit => (BAD.has(textAt(status, 'status')) ? EXIT.negative : EXIT.ok);

/** `orb status` without an Orb: what works of the platform. Not measured is not known: it ends as an outage does. */
export async function platformStatus(args: Args, io: Io): Promise<Exit> {
  const format = formatOf(args, ['text', 'wide', 'json', 'yaml']);
  if (args.has('namespace')) throw usage('--namespace is for the providers of an Orb: name the Orb');
  const server = await findServer(args, io);
  const headers = { accept: 'application/json' };
  const reply = await fetchReply(server, { method: 'GET', path: 'status', headers, timeoutMs: TIMEOUT_MS }, io);
  if (reply.kind === 'problem') {
    const exit = await printProblem(reply.status, reply.value, server, { format, io });
    return textAt(reply.value, 'code') === 'status-not-measured' ? EXIT.negative : exit;
  }
  io.out(format === 'json' || format === 'yaml' ? await dataText(reply.value, format) : statusText(reply.value));
  return exitOf(reply.value);
}
