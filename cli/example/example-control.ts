import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { parseServer } from '../api/address.ts';
import { ask } from '../api/answer.ts';
import { textAt } from '../api/members.ts';
import type { Args } from '../args/parse-args.ts';
import type { Server } from '../http.ts';
import { codeOf, EXIT, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';

const TIMEOUT_MS = 5000;

/** Where the bundled providers take their behaviour from: `npm start` left it in its data folder. */
async function controlOf(data: string): Promise<Server> {
  const path = join(data, 'example', 'control.json');
  const start = 'start `npm start` here, or name its data folder by --data';
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT')
      throw invalid('npm start does not run here: its example is what this changes', start);
    throw invalid(`${path}: it can't be read (${codeOf(error) ?? 'unknown'})`);
  });
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw invalid(`${path}: it is damaged`, start);
  const { url, token } = value;
  if (typeof url !== 'string' || typeof token !== 'string') throw invalid(`${path}: it is damaged`, start);
  return { base: parseServer(url, path), key: token };
}

/** Tells a bundled provider how to behave from now on, and prints what it does. */
export async function behave(args: Args, behaviour: JsonObject, said: string, io: Io): Promise<number> {
  const name = args.positionals[0] ?? '';
  const server = await controlOf(args.one('data') ?? '.orb');
  const path = `providers/${encodeURIComponent(name)}`;
  const body = JSON.stringify(behaviour);
  const reply = await ask(server, { method: 'POST', path, headers: {}, body, timeoutMs: TIMEOUT_MS }, io);
  if (reply.kind === 'problem') throw invalid(textAt(reply.value, 'title'));
  io.out(`${textAt(reply.value, 'provider')} ${said}\n`);
  return EXIT.ok;
}
