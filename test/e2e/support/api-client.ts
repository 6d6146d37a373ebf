import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Agent, request } from 'undici';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { patiently } from './patience.ts';
import { platformKubectl } from './release.ts';

/** A complete answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
}

/** The API at the address of its Service, as a caller with a key for all tenants. */
export interface ApiClient {
  readonly post: (path: string, body: object, options: RequestOptions) => Promise<ApiAnswer>;
  /** Repeats the request while no answer comes. */
  readonly get: (path: string) => Promise<ApiAnswer>;
  /** The command line as a user runs it: through the port-forward, with a key. */
  readonly orb: (...args: readonly string[]) => Promise<CommandResult>;
  /** Folder for files of the test. */
  readonly folder: string;
  readonly close: () => Promise<void>;
}

interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const GET_MS = 10_000;
const root = resolve(import.meta.dirname, '../../..');
const cli = join(root, 'cli/orb.js');
const SCOPES = ['orbs:execute', 'receipts:read', 'providers:read'];

/** @throws Error what it printed */
async function makeKey(scopes: readonly string[]): Promise<string> {
  const flags = scopes.flatMap((scope) => ['--scope', scope]);
  const { code, stdout, stderr } = await command(process.execPath, [
    cli,
    'keys',
    'create',
    '--tenant',
    '*',
    '--rate',
    '0',
    ...flags,
  ]);
  if (code !== 0) throw new Error(`orb keys create:\n${stderr}${stdout}`);
  return stdout.trim();
}

const parse = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return text;
  }
};

/**
 * @param scopes of its key, in addition to those of runs, receipts and providers
 * @returns a client that outlives pods of the API, but not its Service, its certificate and its keys
 */
export async function connectApi(scopes: readonly string[] = []): Promise<ApiClient> {
  const key = await makeKey([...SCOPES, ...scopes]);
  const address = await platformKubectl('get', 'service/orb-api', '-o', 'jsonpath={.spec.clusterIP}');
  const encoded = await platformKubectl('get', 'secret/orb-api-tls', '-o', String.raw`jsonpath={.data.ca\.crt}`);
  const ca = Buffer.from(encoded, 'base64').toString('utf8');
  const folder = await mkdtemp(join(tmpdir(), 'orb-e2e-'));
  const dispatcher = new Agent({ connect: { ca, servername: 'orb-api', timeout: 2000 }, connections: 128 });
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    options: RequestOptions,
    body?: object,
  ): Promise<ApiAnswer> => {
    const answer = await request(`https://${address}${path}`, {
      method,
      dispatcher,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...options.headers },
      signal: options.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const header = (name: string): string | undefined => answer.headers[name]?.toString();
    return { status: answer.statusCode, header, body: parse(text) };
  };
  return {
    post: (path, body, options) => ask('POST', path, options, body),
    get: (path) => patiently(() => ask('GET', path, { headers: {}, signal: AbortSignal.timeout(GET_MS) })),
    orb: (...args) => command(process.execPath, [cli, ...args], { env: { ORB_API_KEY: key } }),
    folder,
    close: async () => {
      await dispatcher.close();
      await rm(folder, { recursive: true });
    },
  };
}
