import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { formatOf } from '../args/format.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText } from '../io/output.ts';
import { fetchReply } from './answer.ts';
import type { Server } from './http.ts';
import { printProblem } from './problem.ts';
import { findServer } from './server.ts';

const TIMEOUT_MS = 30_000;

/** A request of a verb, and its answer in words. */
export interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the address of the API. */
  readonly path: string;
  readonly body?: JsonObject;
  /** A good answer as text for people, with its final line feed. */
  readonly textOf: (value: JsonObject) => string | Promise<string>;
  /** Exit code of a good answer (0). */
  readonly exitOf?: (value: JsonObject) => Exit;
}

/** The query `?namespace=` when the flag of this name is given, else ''. */
export const namespaceQuery = (args: Args): string =>
  args.has('namespace') ? `?namespace=${encodeURIComponent(args.one('namespace') ?? '')}` : '';

/** Sends one request, and prints answer or problem. @returns the exit code */
export async function printAnswerFrom(server: Server, args: Args, io: Io, question: Question): Promise<Exit> {
  const { method, path, body, textOf, exitOf } = question;
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const headers = { accept: 'application/json' };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetchReply(server, { method, path, headers, ...sent, timeoutMs: TIMEOUT_MS }, io);
  if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
  io.out(format === 'json' || format === 'yaml' ? await dataText(reply.value, format) : await textOf(reply.value));
  return exitOf?.(reply.value) ?? EXIT.ok;
}

/** The same with the API of the command line. */
export async function printAnswer(args: Args, io: Io, question: Question): Promise<Exit> {
  formatOf(args, ['text', 'json', 'yaml']);
  return printAnswerFrom(await findServer(args, io), args, io, question);
}
