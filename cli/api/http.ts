import type { Agent, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as startTls, getCACertificates } from 'node:tls';
import { PortForwardError } from '../../adapters/kube/port-forward-stream.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { kubeFailure } from '../cluster/kube-failure.ts';
import { EXIT, Failure } from '../io/failure.ts';
import { printable } from '../io/output.ts';

// An import of node:http reads all that it exports. WebSocket is among it and loads Node's fetch: 30 ms for nothing.
const { Agent: PlainAgent, request: plainRequest } = process.getBuiltinModule('node:http');

/** An API to call. */
export interface Server {
  /** https, or http on loopback; without query; ends with `/`. */
  readonly base: URL;
  /** Where the address comes from, for the message when nothing answers there; absent: the command line names it. */
  readonly source?: string;
  /** Sent as the bearer token to this server only; never printed. */
  readonly key: string | undefined;
  /** Where the key comes from, for the message when the server refuses it; absent: it is a token of a ServiceAccount. */
  readonly keySource?: string;
  /** Opens one connection for each request; absent: connect to the address of `base`. */
  readonly connect?: (signal: AbortSignal) => Promise<Duplex>;
  /** Keeps connections for many requests; absent: each request opens its own. The caller destroys it. */
  readonly agent?: Agent;
  /** PEM of an additional certificate authority, for the connections that `connect` opens. */
  readonly authority?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base, without a leading slash: `receipts/rcpt_…?limit=5`. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time limit for the whole answer. */
  readonly timeoutMs: number;
}

export interface ApiAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Version of what was read, as `If-Match` names it; undefined: the answer has none. */
  readonly etag: string | undefined;
  readonly body: Uint8Array;
}

const isRefused = (error: unknown): boolean => error instanceof PortForwardError && error.isRefused;

/** The answer did not arrive, or was not complete. */
export class NoAnswer extends Failure {
  /** The request was sent at least in part: the server may have acted on it. */
  readonly sent: boolean;
  constructor(message: string, sent: boolean, next: readonly string[] = []) {
    super(EXIT.unreachable, message, next);
    this.sent = sent;
  }
}

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name could not be resolved',
  ECONNRESET: 'the connection broke',
  ETIMEDOUT: 'no answer in time',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed (NODE_EXTRA_CA_CERTS adds a CA)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an unknown CA (NODE_EXTRA_CA_CERTS adds one)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an unknown CA (NODE_EXTRA_CA_CERTS adds one)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  EPROTO: 'it speaks no TLS (https instead of http?)',
};

/** How to call another platform than the one that was found. */
export const OTHER_PLATFORM = '--server URL or --context NAME names another platform';

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

function reason(error: unknown, timeoutMs: number): string {
  const cause = error instanceof Error && error.name === 'AbortError' ? error.cause : error;
  if (isTimeout(cause)) return `no answer within ${Math.round(timeoutMs / 1000)} s`;
  if (cause instanceof AnswerTooLarge) return cause.message;
  if (cause instanceof PortForwardError) return printable(cause.message);
  const code =
    errorCode(cause) ?? (cause instanceof AggregateError ? errorCode(cause.errors[0]) : undefined) ?? 'no answer';
  return REASONS[code] ?? code;
}

class AnswerTooLarge extends Error {}

async function readBody(answer: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new AnswerTooLarge(`its answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(server: Server, request: ApiRequest): OutgoingHttpHeaders {
  const { body } = request;
  return {
    ...(server.key === undefined ? {} : { authorization: `Bearer ${server.key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...request.headers,
  };
}

/** TLS over an open connection; the certificate must name the host of the base. */
const secured = (socket: Duplex, { base, authority }: Server): Duplex =>
  startTls({
    socket,
    servername: base.hostname,
    ALPNProtocols: ['http/1.1'],
    ...(authority === undefined ? {} : { ca: [...getCACertificates('default'), authority] }),
  });

/** For `Server.agent`. @param most connections at a time */
export const keptConnections = (base: URL, most: number): Agent =>
  new (base.protocol === 'https:' ? TlsAgent : PlainAgent)({ keepAlive: true, maxSockets: most });

interface Exchange {
  readonly answer: Promise<IncomingMessage>;
  readonly sent: () => boolean;
}

type ConnectionOptions =
  | { readonly agent: Agent | false }
  | { readonly createConnection: () => Duplex; readonly defaultPort: number };

/** How to reach the server. A connection that we open exists before the request: until then nothing was sent. */
async function connectionOptions(server: Server, signal: AbortSignal): Promise<ConnectionOptions> {
  const { base, connect } = server;
  if (connect === undefined) return { agent: server.agent ?? false };
  const stream = await connect(signal);
  return base.protocol === 'https:'
    ? { createConnection: () => secured(stream, server), defaultPort: 443 }
    : { createConnection: () => stream, defaultPort: 80 };
}

/** One connection for one request; redirects are not followed, as they would send the key along. */
function exchange(server: Server, request: ApiRequest, through: ConnectionOptions, signal: AbortSignal): Exchange {
  const url = new URL(request.path, server.base);
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
  const options = { method: request.method, headers: headersOf(server, request), ...through, signal };
  let sent = false;
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = send(url, options);
    outgoing.on('finish', () => (sent = outgoing.socket?.connecting !== true));
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(request.body);
  });
  return { answer, sent: () => sent };
}

/**
 * Sends one request and reads the whole answer, at most 64 MiB.
 * @throws Unanswered no whole answer within `timeoutMs`
 */
export async function call(server: Server, request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)]);
  let exchanged: Exchange | undefined;
  try {
    exchanged = exchange(server, request, await connectionOptions(server, limit), limit);
    const incoming = await exchanged.answer;
    const body = await readBody(incoming);
    const { 'content-type': contentType = '', etag } = incoming.headers;
    return { status: incoming.statusCode ?? 0, contentType, etag, body };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubeError) throw kubeFailure(error);
    const sent = exchanged !== undefined && exchanged.sent() && !isRefused(error);
    const next = server.source === undefined ? [] : [`this address is from ${server.source}; ${OTHER_PLATFORM}`];
    throw new NoAnswer(`can't reach ${server.base.origin}: ${reason(error, request.timeoutMs)}`, sent, next);
  }
}
