import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, type ClientOptions } from 'ws';
import type { Connection } from './connection.ts';
import { forwardedStream } from './port-forward-stream.ts';
import { KubeError } from './port.ts';

export interface ForwardTarget {
  readonly namespace: string;
  readonly pod: string;
  /** 1 to 65535. */
  readonly port: number;
}

const PROTOCOL = 'v4.channel.k8s.io';
const HANDSHAKE_MS = 15_000;
const MAX_STATUS_BYTES = 64 * 1024;
// A frame of the kubelet is far smaller. Without a limit a wrong server could fill the memory.
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

function urlOf(server: string, { namespace, pod, port }: ForwardTarget): URL {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward`;
  const url = new URL(`${server}${path}?ports=${port}`);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  return url;
}

function tlsOf({ ca, serverName, insecure, clientCertificate }: Connection): ClientOptions {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecure === true ? { rejectUnauthorized: false } : {}),
    ...clientCertificate,
  };
}

async function optionsOf(connection: Connection, refresh: boolean): Promise<ClientOptions> {
  const authorization = await connection.authorization(refresh);
  return {
    ...tlsOf(connection),
    headers: { ...connection.headers, ...(authorization === undefined ? {} : { authorization }) },
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
  };
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) {
    text += String(chunk);
    if (text.length > MAX_STATUS_BYTES) break;
  }
  return text;
}

const memberOf = (value: unknown, name: string): string => {
  if (typeof value !== 'object' || value === null) return '';
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof found === 'string' ? found : '';
};

/** The `Status` that the API server answers instead of the upgrade. */
async function refusal(answer: IncomingMessage): Promise<KubeError> {
  const status = answer.statusCode ?? 0;
  let value: unknown;
  try {
    value = JSON.parse(await textOf(answer));
  } catch {
    value = undefined;
  }
  const message = memberOf(value, 'message') || `it answers ${status} to a port-forward`;
  return new KubeError(message, { status, reason: memberOf(value, 'reason'), causes: [] });
}

const unanswered = (error: Error): KubeError =>
  new KubeError(`no port-forward: ${error.message}`, { status: 0, reason: '', causes: [] }, { cause: error });

/** Resolves when the upgrade is complete. */
function opened(socket: WebSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      socket.terminate();
      reject(signal.reason);
    };
    const settle = (end: () => void) => (): void => {
      signal.removeEventListener('abort', stop);
      end();
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.once('open', settle(resolve));
    socket.once('error', (error) => settle(() => reject(unanswered(error)))());
    socket.once('unexpected-response', (_request, answer) => {
      const connection = answer.socket;
      const refuse = (error: unknown): void => {
        settle(() => reject(error))();
        connection.destroy(); // an open connection would keep the process alive
      };
      void refusal(answer).then(refuse, refuse);
    });
  });
}

function streamOf(socket: WebSocket, signal: AbortSignal): Duplex {
  const { stream, onMessage, onClose, onError } = forwardedStream({
    send: (message, sent) => socket.send(message, { binary: true }, sent),
    close: () => socket.close(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  });
  const stop = (): void => void stream.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', stop, { once: true });
  socket.on('message', (data: unknown) => {
    if (Buffer.isBuffer(data)) onMessage(data);
  });
  socket.on('close', () => {
    signal.removeEventListener('abort', stop);
    onClose();
  });
  socket.on('error', onError);
  return stream;
}

async function attempt(
  connection: Connection,
  target: ForwardTarget,
  refresh: boolean,
  signal: AbortSignal,
): Promise<Duplex> {
  const options = await optionsOf(connection, refresh);
  signal.throwIfAborted();
  const socket = new WebSocket(urlOf(connection.server, target), [PROTOCOL], options);
  // Made before the connection is open: the kubelet speaks first, and no message of it may be missed.
  const stream = streamOf(socket, signal);
  stream.on('error', () => undefined); // a failed handshake rejects; the stream has no listener then
  await opened(socket, signal);
  return stream;
}

/**
 * Opens one connection to a port of a pod through the API server (WebSocket `v4.channel.k8s.io`). It needs `get` on
 * `pods/portforward`; newer API servers want `create` too. Closing the stream closes it; so does the signal.
 * @throws KubeError the API server refuses, with its status; 0: no answer
 */
export async function openPortForward(
  connection: Connection,
  target: ForwardTarget,
  signal: AbortSignal,
): Promise<Duplex> {
  try {
    return await attempt(connection, target, false, signal);
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 401) throw error;
    return attempt(connection, target, true, signal);
  }
}
