import { Duplex } from 'node:stream';

/** Messages of one WebSocket, as the stream needs them. */
export interface Messages {
  /** Sends one message. Calls back when it was sent, or with an error when it can't be sent. */
  readonly send: (message: Uint8Array, sent: (error?: Error | null) => void) => void;
  /** Ends the connection; messages that were passed to `send` still go out. */
  readonly close: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** The stream, and the events of the WebSocket that it is given. */
export interface ForwardedStream {
  readonly stream: Duplex;
  readonly onMessage: (message: Uint8Array) => void;
  /** The other side has closed: everything that came before can still be read. */
  readonly onClose: () => void;
  readonly onError: (error: Error) => void;
}

/** The kubelet could not reach the port, or the pod ended the connection. */
export class PortForwardError extends Error {
  readonly code = 'port-forward-failed';
  /** No process listens on the port, so no byte was read. When false, some bytes may have been read. */
  readonly isRefused: boolean;
  constructor(message: string) {
    super(message);
    this.isRefused = /connection refused|ECONNREFUSED/i.test(message);
  }
}

const DATA = 0;
const ERROR = 1;
// Each of the two channels begins with an echo of the port: two bytes, little-endian.
const HEADER_BYTES = 2;
const MAX_ERROR_BYTES = 4096;

/**
 * The bytes of one forwarded port (`v4.channel.k8s.io`). The first byte of a message names its channel: 0 data, 1
 * error, for the requested port. There is no half-close: ending the stream ends the connection.
 */
export function forwardedStream(messages: Messages): ForwardedStream {
  const headerLeft = new Map([
    [DATA, HEADER_BYTES],
    [ERROR, HEADER_BYTES],
  ]);
  const stream = new Duplex({
    read: () => messages.resume(),
    write: (chunk: Buffer, _encoding, sent) => messages.send(Buffer.concat([Uint8Array.of(DATA), chunk]), sent),
    final: (done) => {
      messages.close();
      done();
    },
    destroy: (error, done) => {
      messages.close();
      done(error);
    },
  });
  const onMessage = (message: Uint8Array): void => {
    const [channel = ERROR] = message;
    const skipped = Math.min(headerLeft.get(channel) ?? 0, message.length - 1);
    headerLeft.set(channel, (headerLeft.get(channel) ?? 0) - skipped);
    const content = message.subarray(1 + skipped);
    if (content.length === 0 || stream.destroyed) return;
    if (channel === DATA) {
      if (!stream.push(content)) messages.pause();
      return;
    }
    stream.destroy(new PortForwardError(Buffer.from(content.subarray(0, MAX_ERROR_BYTES)).toString('utf8').trim()));
  };
  return {
    stream,
    onMessage,
    onClose: () => void stream.push(null),
    onError: (error) => void stream.destroy(error),
  };
}
