import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Duplex } from 'node:stream';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { PipelineQueue } from '../../adapters/http/pipeline-queue.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Cidr } from '../../core/network/cidr.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { Admission } from './admission.ts';
import type { Authenticate } from './authorise.ts';
import { clientAddresses } from './client-address.ts';
import { checkRoutes } from './check-routes.ts';
import { Connections, drainServer } from './connections.ts';
import { RequestWithExchange, Exchange, exchangeOf } from './exchange.ts';
import { problem } from './problem.ts';
import { LoopTurns } from './loop-turns.ts';
import { NO_RATES, RequestRates, type RequestRateLimits } from './request-rates.ts';
import { ConnectionRefuser } from './refuse-connection.ts';
import type { Route } from './route.ts';
import { faultReply, finish, serveRoute, type ServeContext } from './serve-route.ts';
import { traceparentOf } from './trace.ts';

/** Bounds of the listener (security.md S6). */
interface ServerLimits {
  readonly bodyBytes: number;
  /** Request line and headers together, bytes. */
  readonly headerBytes: number;
  readonly headerCount: number;
  readonly connections: number;
  /** Time until all headers are received, ms. */
  readonly headersTimeoutMs: number;
  /** Time until the body is received, ms. */
  readonly requestTimeoutMs: number;
  /** Time between two requests on one connection, ms. */
  readonly keepAliveMs: number;
  /** Longest time without a byte in either direction, ms: longer than the longest run (120 s). */
  readonly idleMs: number;
  /** Longest time in which the caller takes no byte of a large answer, ms. */
  readonly stallMs: number;
  /** Requests that may wait behind an open answer of their connection. A further request cuts the connection. */
  readonly waitingPerConnection: number;
  /** … and on all connections together. */
  readonly waiting: number;
}

const serverLimits: ServerLimits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headerCount: 200,
  connections: 8192,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 60_000,
  idleMs: 150_000,
  stallMs: 30_000,
  waitingPerConnection: 64,
  waiting: 4096,
};

/** Data of a request when its answer is done: for metrics and the request log. */
export interface Answered {
  /** Path template, or `none`: bounded, never text of the caller. */
  readonly route: string;
  readonly method: string;
  /** 499: the caller went away before the answer was complete. */
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  readonly caller: string | undefined;
}

/** A server's certificate chain and private key, PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  readonly admission: Admission;
  /** Rates of requests. Default: none. */
  readonly rates?: RequestRateLimits;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly observe: (answered: Answered) => void;
  readonly limits?: Partial<ServerLimits>;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles;
  /** Proxies whose `X-Forwarded-For` names the client. Default: empty. */
  readonly trustedProxies?: readonly Cidr[];
  /** Parts that the first start still waits for: until then only public routes are served. Default: empty. */
  readonly notStarted?: () => readonly string[];
}

export interface App {
  /** Not listening yet. */
  readonly server: Server | SecureServer;
  readonly scheme: 'http' | 'https';
  /** Uses another certificate for new connections; open ones continue unchanged. Only with `tls`. */
  readonly useTls: (files: TlsFiles) => void;
  /** Graceful stop; resolves when every connection is closed. @returns how many had to be cut after `timeoutMs` */
  readonly drain: (timeoutMs: number) => Promise<number>;
}

const CALLER_GONE = 499;

const methodOf = (request: IncomingMessage): string =>
  request.method !== undefined && /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(request.method)
    ? request.method
    : 'OTHER';

const expressPath = (path: string): string => path.replaceAll(/\{([a-z_]+)\}/g, ':$1');

function allowed(routes: readonly Route[], path: string): string {
  const methods = routes.filter((route) => route.path === path).map(({ method }) => method.toUpperCase());
  return [...new Set(methods.includes('GET') ? ['HEAD', ...methods] : methods)].toSorted().join(', ');
}

/** Reads the path parameters of one route. Express gives arrays only for wildcards, and no route has wildcards. */
function paramsReader(path: string): (request: Request) => Readonly<Record<string, string>> {
  const names = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
  return (request) => {
    const params: Record<string, string> = {};
    for (const name of names) {
      const value = request.params[name];
      if (typeof value === 'string') params[name] = value;
    }
    return params;
  };
}

const rankOf = ({ sheds, method }: Route): number => (sheds === true ? 0 : method === 'head' ? 1 : 2);

/**
 * Express tries one route after the other. Those of runs come first, because nearly all requests are theirs. Those of HEAD
 * come before those of GET, which would answer HEAD too.
 */
const inOrder = (routes: readonly Route[]): readonly Route[] =>
  routes.toSorted((one, other) => rankOf(one) - rankOf(other));

/** Routes and their fallbacks in Express. */
function routed(routes: readonly Route[], context: ServeContext): Express {
  const app = express();
  app.set('etag', false).set('query parser', false).set('x-powered-by', false);
  app.set('case sensitive routing', true).set('strict routing', true);
  for (const route of inOrder(routes)) {
    const paramsOf = paramsReader(route.path);
    app[route.method](expressPath(route.path), (request: Request) => {
      void serveRoute(context, route, exchangeOf(request), paramsOf(request));
    });
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    const headers = { allow: allowed(routes, path) };
    app.all(expressPath(path), (request: Request) => {
      const exchange = exchangeOf(request);
      exchange.route = path;
      finish(context, exchange, problem(exchange, 'method-not-allowed', { headers }));
    });
  }
  app.use((request: Request) => {
    const exchange = exchangeOf(request);
    finish(context, exchange, problem(exchange, 'route-not-found'));
  });
  // Express recognises an error handler by its four parameters.
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const exchange = exchangeOf(request);
    const reply =
      error instanceof URIError ? problem(exchange, 'malformed-path') : faultReply(context, exchange, error);
    finish(context, exchange, reply);
  });
  return app;
}

const answered = (exchange: Exchange, durationMs: number): Answered => ({
  route: exchange.route,
  method: methodOf(exchange.request),
  status: exchange.response.writableFinished ? exchange.response.statusCode : CALLER_GONE,
  durationMs,
  requestId: exchange.requestId,
  caller: exchange.caller?.id,
});

const MIN_VERSION = 'TLSv1.2';

type Listener = Server<typeof RequestWithExchange> | SecureServer<typeof RequestWithExchange>;

function listener(limits: ServerLimits, tls: TlsFiles | undefined): Listener {
  const bounds = {
    IncomingMessage: RequestWithExchange,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveMs,
    // Checked in `begin`: Node would answer out of turn.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    noDelay: true,
  };
  const server =
    tls === undefined
      ? createServer(bounds)
      : createSecureServer({ ...bounds, ...tls, minVersion: MIN_VERSION, ALPNProtocols: ['http/1.1'] });
  // Node silently drops headers above its own count. `headerCount` is checked here, and the byte limit bounds both.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;
  return server;
}

/**
 * The HTTP server of the API over these routes.
 * @throws TypeError a route has no existing scope, or it exists twice (security.md S14)
 */
export function createApp(options: AppOptions): App {
  checkRoutes(options.routes);
  const limits = { ...serverLimits, ...options.limits };
  const { clock, random } = options;
  let draining = false;
  const context: ServeContext = {
    ...options,
    bodyBytes: limits.bodyBytes,
    addressOf: clientAddresses(options.trustedProxies ?? []),
    stallMs: limits.stallMs,
    idleMs: limits.idleMs,
    isDraining: () => draining,
    notStarted: options.notStarted ?? (() => []),
    rates: new RequestRates(options.rates ?? NO_RATES, clock.monotonic),
    turns: new LoopTurns({ now: clock.monotonic }),
  };
  const turns = new PipelineQueue({ perConnection: limits.waitingPerConnection, together: limits.waiting });
  const connections = new Connections(turns);
  const refuser = new ConnectionRefuser(connections);
  const app = routed(options.routes, context);
  const requestId = (): string => newId('req_', clock.now(), random);

  const begin = (request: RequestWithExchange, response: ServerResponse): void => {
    const startedAt = clock.monotonic();
    const { socket } = request;
    const traceparent = traceparentOf(request.headers['traceparent']?.toString(), random);
    const exchange = new Exchange(request, response, requestId(), traceparent);
    request.exchange = exchange;
    connections.begin(socket, response);
    response.once('close', () => {
      connections.end(socket, response);
      options.observe(answered(exchange, clock.monotonic() - startedAt));
    });
    if (request.rawHeaders.length > 2 * limits.headerCount) {
      finish(context, exchange, problem(exchange, 'headers-too-large'));
    } else if (request.headers.host === undefined && request.httpVersionMinor > 0) {
      finish(context, exchange, problem(exchange, 'malformed-request', { headers: { connection: 'close' } }));
    } else app(request, response);
  };

  const onRequest = (request: RequestWithExchange, response: ServerResponse): void =>
    turns.take(request.socket, response, () => begin(request, response));
  const server = listener(limits, options.tls);
  server.on('request', onRequest).on('checkContinue', onRequest);
  // The same answer as Node's own, but in turn.
  server.on('checkExpectation', ({ socket }, response) =>
    turns.take(socket, response, () => response.writeHead(417).end()),
  );
  server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Duplex) => connections.add(socket));
  server.on('clientError', (error, socket) => refuser.refuse(error, socket, requestId()));
  const drain = (timeoutMs: number): Promise<number> => {
    draining = true;
    return drainServer(server, connections, clock, timeoutMs);
  };
  const useTls = (files: TlsFiles): void => {
    if (!(server instanceof SecureServer)) throw new TypeError('a plain server has no certificate');
    server.setSecureContext({ ...files, minVersion: MIN_VERSION });
  };
  return { server, scheme: options.tls === undefined ? 'http' : 'https', useTls, drain };
}
