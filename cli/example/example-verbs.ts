import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Args } from '../../adapters/process/arguments.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { milliseconds } from '../../core/time/duration.ts';
import { parseServer } from '../api/address.ts';
import { fetchReply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { DATA, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable, textAt } from '../io/output.ts';

const TIMEOUT_MS = 5000;

/** The server that controls the bundled providers; `npm start` wrote its address to its data folder. */
async function controlOf(data: string): Promise<Server> {
  const path = join(data, 'example', 'control.json');
  const start = 'start `npm start` here, or name its data folder by --data';
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT')
      throw invalid('npm start is not running here, and this verb changes its example', start);
    throw invalid(`${path}: it can't be read (${errorCode(error) ?? 'unknown'})`);
  });
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw invalid(`${path}: it is damaged`, start);
  const { url, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string') throw invalid(`${path}: it is damaged`, start);
  return { base: parseServer(url, path), key: token };
}

/** Sets how a bundled provider behaves from now on, and prints its behaviour. */
async function setBehaviour(args: Args, behaviour: JsonObject, said: string, io: Io): Promise<number> {
  const name = args.positionals[0] ?? '';
  const server = await controlOf(args.one('data') ?? '.orb');
  const path = `providers/${encodeURIComponent(name)}`;
  const body = JSON.stringify(behaviour);
  const reply = await fetchReply(server, { method: 'POST', path, headers: {}, body, timeoutMs: TIMEOUT_MS }, io);
  if (reply.kind === 'problem') throw invalid(textAt(reply.value, 'title'));
  io.out(`${textAt(reply.value, 'provider')} ${said}\n`);
  return EXIT.ok;
}

const ABOUT =
  'For example.lookup@1.0.0 of npm start, whose providers alpha and beta run beside it: docs/provider-failover.md is the tutorial.';

function slowMs(text: string): number {
  if (/^[1-9][0-9]{0,5}(?:ms|s)$/.test(text)) return milliseconds(text);
  throw usage(`${printable(text)}: a time, such as 600ms or 2s`);
}

function failStatus(text: string): number {
  if (/^[45][0-9]{2}$/.test(text)) return Number(text);
  throw usage(`${printable(text)}: a status from 400 to 599`);
}

export const exampleSlowVerb: Verb = {
  usage: 'PROVIDER TIME',
  count: [2, 2],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example slow alpha 600ms'],
  run: async (args, io) => {
    const ms = slowMs(args.positionals[1] ?? '');
    return setBehaviour(args, { slow_ms: ms }, `takes ${ms} ms longer from now on`, io);
  },
};

export const exampleFailVerb: Verb = {
  usage: 'PROVIDER STATUS',
  count: [2, 2],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example fail alpha 503'],
  run: async (args, io) => {
    const status = failStatus(args.positionals[1] ?? '');
    return setBehaviour(args, { fail_status: status }, `answers with ${status} from now on`, io);
  },
};

export const exampleHealVerb: Verb = {
  usage: 'PROVIDER',
  count: [1, 1],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example heal alpha'],
  run: async (args, io) => setBehaviour(args, {}, 'works again', io),
};
