import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { Args } from '../args/parse-args.ts';
import type { Flag } from '../args/verb.ts';
import type { Server } from '../http.ts';
import { codeOf, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { readText } from '../io/read-file.ts';

/** Flags of every verb that talks to the API. */
export const SERVER_FLAGS: readonly Flag[] = [
  {
    name: 'server',
    value: 'URL',
    text: 'API to talk to (ORB_SERVER; else the one of npm start, http://127.0.0.1:8080)',
  },
  { name: 'key-file', value: 'FILE', text: 'file with the API key (else ORB_API_KEY, else the key of npm start)' },
  { name: 'data', value: 'DIR', text: 'data folder of npm start, for its address and key (.orb)' },
];

const DEFAULT = 'http://127.0.0.1:8080';
const MAX_KEY_FILE_BYTES = 16 * 1024;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/** What `npm start` left for the command line. */
interface Credentials {
  readonly url: URL;
  readonly key: string;
}

const isPlainAddress = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.search === '' && url.hash === '';

/** @throws Failure the text is no address that a key may be sent to */
function parseServer(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isPlainAddress(url)) {
    throw usage(`${from} ${printable(text)}: it is no address such as https://orbs.example`);
  }
  if (url.username !== '' || url.password !== '') {
    throw usage(`${from}: the address holds a user name; keys come from a file or ORB_API_KEY`);
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    const why = 'http is for this machine only, the key would travel readable; use https or a port-forward';
    throw usage(`${from} ${printable(text)}: ${why}`);
  }
  return new URL(url.pathname.endsWith('/') ? url : `${url.href}/`);
}

async function readCredentials(data: string): Promise<JsonObject | undefined> {
  const path = join(data, 'credentials.json');
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw invalid(`${path}: it can't be read (${codeOf(error) ?? 'no JSON'})`);
  }
}

async function localCredentials(data: string): Promise<Credentials | undefined> {
  const { url, api_key: key } = (await readCredentials(data)) ?? {};
  if (typeof url !== 'string' || typeof key !== 'string' || !URL.canParse(url)) return undefined;
  return { url: parseServer(url, 'credentials.json'), key };
}

/** The key of this machine's standalone goes to nobody else; `localhost` and 127.0.0.1 are the same. */
const isSame = (one: URL, other: URL): boolean =>
  one.protocol === other.protocol &&
  one.port === other.port &&
  (one.hostname === other.hostname || (LOOPBACK.test(one.hostname) && LOOPBACK.test(other.hostname)));

/** @throws Failure the text can't stand in a header */
function parseKey(text: string, from: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{1,4096}$/.test(key)) throw invalid(`${from} holds no API key`);
  return key;
}

async function givenKey(args: Args, io: Io): Promise<string | undefined> {
  const file = args.one('key-file');
  if (file !== undefined) return parseKey(await readText(file, MAX_KEY_FILE_BYTES, io), file);
  const variable = io.env['ORB_API_KEY'];
  return variable === undefined || variable === '' ? undefined : parseKey(variable, 'ORB_API_KEY');
}

function givenServer(args: Args, io: Io): URL | undefined {
  const flag = args.one('server');
  if (flag !== undefined) return parseServer(flag, '--server');
  const variable = io.env['ORB_SERVER'];
  return variable === undefined || variable === '' ? undefined : parseServer(variable, 'ORB_SERVER');
}

/**
 * Which API, and with which key: flags, then environment, then what `npm start` left in its data folder.
 * The key is undefined when there is none: some Orbs need none.
 */
export async function findServer(args: Args, io: Io): Promise<Server> {
  const local = await localCredentials(args.one('data') ?? '.orb');
  const base = givenServer(args, io) ?? local?.url ?? parseServer(DEFAULT, 'the default');
  const key = (await givenKey(args, io)) ?? (local !== undefined && isSame(local.url, base) ? local.key : undefined);
  return { base, key };
}
