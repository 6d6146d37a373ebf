import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { PortListeners } from '../../adapters/http/port-listeners.ts';
import { mostWaiting } from '../../adapters/http/waiting-connections.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Cidr } from '../../core/network/cidr.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { Admission } from './admission.ts';
import type { Authenticate, Gatekeeping } from './authorise.ts';
import { createBounds, type HttpLoad } from './bounds.ts';
import { clientAddresses } from './client-address.ts';
import { checkRoutes } from './check-routes.ts';
import { drainServer, type Connections } from './connections.ts';
import { headFault } from './head-fault.ts';
import { RequestWithExchange, Exchange, exchangeOf } from './exchange.ts';
import { problem } from './problem.ts';
import { LoopTurns } from './loop-turns.ts';
import { RefusalPace } from './refusal-pace.ts';
import { NO_RATES, RequestRates, type RequestRateLimits } from './request-rates.ts';
import type { Route } from './route.ts';
import { serverLimits, type Refusal, type ServerLimits } from './server-limits.ts';
import { faultReply, finish, serveRoute, type ServeContext } from './serve-route.ts';
import { traceparentOf } from './trace.ts';

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
  readonly wasValid?: NonNullable<Gatekeeping['wasValid']>;
  readonly admission: Admission;
  /** Rates of requests. Default: none. */
  readonly rates?: RequestRateLimits;
  readonly logger: Pick<Logger, 'error'>;
  readonly clock: Clock;
  /** Turns of the event loop that others share too. Default: its own. */
  readonly turns?: LoopTurns;
  readonly random: (bytes: number) => Uint8Array;
  readonly observe: (answered: Answered) => void;
  /** A bound or a rule of HTTP ended a connection or a request. */
  readonly refused?: (refusal: Refusal) => void;
  readonly limits?: Partial<ServerLimits>;
  /** Absent: plain HTTP. */
  readonly tls?: TlsFiles;
  /** Proxies whose `X-Forwarded-For` names the client. Default: empty. */
  readonly trustedProxies?: readonly Cidr[];
  /** Callers come through a proxy: unless it is trusted, all of them share its address. Default: false. */
  readonly isBehindProxy?: boolean;
  /** Parts that the first start still waits for: until then only public routes are served. Default: empty. */
  readonly notStarted?: () => readonly string[];
}

export interface App {
  /** Gets its connections from `listen`; it does not listen itself. */
  readonly server: Server | SecureServer;
  /** Accepts connections. @returns the address, with the actual port. @throws Error the address can't be listened on */
  readonly listen: (address: ListenAddress) => Promise<ListenAddress>;
  readonly scheme: 'http' | 'https';
  /** Uses another certificate for new connections; open ones continue unchanged. Only with `tls`. */
  readonly useTls: (files: TlsFiles) => void;
  /** Graceful stop; resolves when every connection is closed. @returns how many had to be cut after `timeoutMs` */
  readonly drain: (timeoutMs: number) => Promise<number>;
  /** What strangers make the server hold at present. */
  readonly load: () => HttpLoad;
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
    handshakeTimeout: limits.headersTimeoutMs,
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
  server.timeout = limits.silenceMs;
  return server;
}

/**
 * Over TLS a connection is counted when its handshake begins, and its requests come from another socket.
 * @returns what will accept the connections
 */
function followConnections(server: Listener, connections: Connections, limits: ServerLimits): PortListeners {
  if (!(server instanceof SecureServer)) server.on('connection', (socket: Socket) => connections.add(socket));
  else {
    server.on('connection', (socket: Socket) => connections.addBelowTls(socket));
    server.on('secureConnection', (socket: TLSSocket) => connections.secure(socket));
  }
  return new PortListeners(server, mostWaiting(limits.connections));
}

function replaceTls(server: Listener, files: TlsFiles): void {
  if (!(server instanceof SecureServer)) throw new TypeError('a plain server has no certificate');
  server.setSecureContext({ ...files, minVersion: MIN_VERSION });
}

/**
 * The HTTP server of the API over these routes.
 * @throws TypeError a route has no existing scope, or it exists twice (security.md S14)
 */
export function createApp(options: AppOptions): App {
  checkRoutes(options.routes);
  const limits = { ...serverLimits, ...options.limits };
  const { clock, random, rates = NO_RATES } = options;
  let draining = false;
  const addresses = clientAddresses(options.trustedProxies ?? [], options.isBehindProxy ?? false);
  const refused = options.refused ?? ((): void => undefined);
  const pace = new RefusalPace(rates.refusals, { now: clock.monotonic });
  const { held, turns, connections, refuser, load } = createBounds(limits, addresses, pace, refused);
  const context: ServeContext = {
    ...options,
    bodyBytes: limits.bodyBytes,
    addressOf: addresses.of,
    held,
    stallMs: limits.stallMs,
    idleMs: limits.silenceMs,
    isDraining: () => draining,
    notStarted: options.notStarted ?? (() => []),
    rates: new RequestRates(rates, clock.monotonic),
    pace,
    turns: options.turns ?? new LoopTurns({ now: clock.monotonic }),
  };
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
    const fault = headFault(request, limits.headerCount);
    if (fault === undefined) return void app(request, response);
    const { code, detail } = fault;
    refused(code === 'headers-too-large' ? code : 'malformed-request');
    finish(context, exchange, problem(exchange, code, { detail, headers: { connection: 'close' } }));
  };

  const onRequest = (request: RequestWithExchange, response: ServerResponse): void =>
    turns.take(request.socket, response, () => begin(request, response));
  const server = listener(limits, options.tls);
  server.on('request', onRequest).on('checkContinue', onRequest).on('checkExpectation', onRequest);
  server.on('clientError', (error, socket) => refuser.refuse(error, socket, requestId()));
  server.on('connect', (_request, socket) => refuser.refuseTunnel(socket, requestId()));
  const listeners = followConnections(server, connections, limits);
  const drain = (timeoutMs: number): Promise<number> => {
    draining = true;
    return drainServer(server, { listeners, connections }, clock, timeoutMs);
  };
  return {
    server,
    listen: (address) => listeners.listen(address),
    scheme: options.tls === undefined ? 'http' : 'https',
    useTls: (files) => replaceTls(server, files),
    drain,
    load: () => {
      const bound = load();
      return {
        ...bound,
        connections: bound.connections + listeners.waiting,
        bodyBytes: bound.bodyBytes + context.turns.longBodyBytes,
      };
    },
  };
}
