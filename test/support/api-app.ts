import { once } from 'node:events';
import { connect } from 'node:net';
import type { Clock } from '../../adapters/time/clock.ts';
import { createAdmission } from '../../api-server/http/admission.ts';
import type { AuthResult } from '../../api-server/http/authorise.ts';
import { openapiOf, openapiRoute } from '../../api-server/http/openapi.ts';
import { serviceSchemas } from '../../api-server/services/services.ts';
import type { Route } from '../../api-server/http/route.ts';
import { createApp, type Answered, type App, type AppOptions } from '../../api-server/http/server.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import type { Scope } from '../../core/api-key/scopes.ts';
import { checkAnswer, type Answer } from './openapi-check.ts';

/** 2026-11-20T10:00:00Z */
export const TEST_NOW = 1_795_168_800_000;
const DAY_MS = 86_400_000;

/** A caller of tenant `acme` with every read scope and 90 days left. */
export const aCaller = (some: Partial<Caller> = {}): Caller => ({
  id: 'key:abcdefgh',
  tenants: ['acme'],
  scopes: new Set<Scope>(['orbs:execute', 'receipts:read']),
  orbs: undefined,
  expiresAt: TEST_NOW + 90 * DAY_MS,
  standing: () => 'valid',
  ...some,
});

/** A clock that stands still; `sleep` ends when the test calls `wake`. */
export function aClock(): Clock & { readonly wake: () => void } {
  const sleepers = new Set<() => void>();
  const sleep = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      sleepers.add(resolve);
      signal.addEventListener('abort', () =>
        reject(signal.reason instanceof Error ? signal.reason : new Error('aborted')),
      );
    });
  const wake = (): void => {
    for (const resolve of sleepers) resolve();
  };
  return { now: () => TEST_NOW, monotonic: () => 5000, sleep, wake };
}

interface Logged {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A listening server under test, and what it reported. */
export interface TestApp {
  readonly app: App;
  readonly port: number;
  readonly openapi: Readonly<Record<string, unknown>>;
  readonly logged: readonly Logged[];
  readonly observed: readonly Answered[];
  /** Sends one request on its own connection; `checkAnswer` checks the answer. */
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<Called>;
  /** Sends bytes as they are and returns everything that comes back until the server closes. */
  readonly raw: (...parts: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Sent as the bearer token; a test key by default, null for none. */
  readonly key?: string | null;
}

export interface Called extends Answer {
  /** Parsed when it is JSON, else its text. */
  readonly value: unknown;
  readonly code: unknown;
}

const idle = { ledger: () => ({ queuedRows: 0, oldestMs: 0 }), loopDelayMs: () => 0 };

let counter = 0;
const someBytes = (bytes: number): Uint8Array => {
  counter += 1;
  return Uint8Array.from(
    { length: bytes },
    (_, index) => ((counter >> ((index % 3) * 8)) & 255) | (index === 0 ? 1 : 0),
  );
};

/** Keys of the tests: `good` is `caller`, `elsewhere` is not allowed from this address, other keys are unknown. */
const authenticator =
  (caller: Caller) =>
  (header: string | undefined): AuthResult => {
    if (header === 'Bearer good') return { kind: 'ok', caller };
    return header === 'Bearer elsewhere' ? { kind: 'forbidden', why: 'cidr' } : { kind: 'unauthenticated' };
  };

async function read(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: new Uint8Array(await response.arrayBuffer()) };
}

const codeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'code' in value ? value.code : undefined;

async function converse(port: number, parts: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!socket.closed) await once(socket, 'close');
  return received;
}

/** Starts the API over these routes on a free loopback port. */
export async function startApp(
  routes: readonly Route[],
  options: Partial<AppOptions> & { readonly caller?: Caller } = {},
): Promise<TestApp> {
  const logged: Logged[] = [];
  const observed: Answered[] = [];
  const about = { version: '0.0.0', schemas: serviceSchemas() };
  const described = openapiRoute(routes, about);
  const { caller = aCaller(), ...rest } = options;
  const app = createApp({
    routes: [...routes, described],
    authenticate: authenticator(caller),
    admission: createAdmission(idle),
    logger: { error: (message, fields) => void logged.push({ message, fields: fields ?? {} }) },
    clock: aClock(),
    random: someBytes,
    observe: (answered) => void observed.push(answered),
    ...rest,
  });
  const openapi = openapiOf([...routes, described], about);
  const { port } = await app.listen({ host: '127.0.0.1', port: 0 });
  const call = async (
    method: string,
    path: string,
    { headers, body, key = 'good' }: CallOptions = {},
  ): Promise<Called> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { connection: 'close', ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const answer = await read(response);
    const value = checkAnswer(openapi, method, path, answer);
    return { ...answer, value, code: codeOf(value) };
  };
  const close = async (): Promise<void> => {
    app.server.closeAllConnections();
    await app.drain(0);
  };
  return { app, port, openapi, logged, observed, call, raw: (...parts) => converse(port, parts), close };
}
