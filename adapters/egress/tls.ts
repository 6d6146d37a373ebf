import { createSecureContext, getCACertificates, type SecureContext, type TLSSocket } from 'node:tls';

const MAX_SESSIONS = 256;

export interface TlsSessions {
  readonly of: (name: string) => Buffer | undefined;
  /** Keeps the sessions of a connection whose certificate and name were accepted. */
  readonly follow: (name: string, socket: TLSSocket) => void;
}

/**
 * TLS sessions by server name; the oldest is dropped first. A session is kept only after its connection was accepted,
 * including its peer: Node skips the check of the server's name on a resumed session.
 */
export function createTlsSessions(): TlsSessions {
  const sessions = new Map<string, Buffer>();
  const keep = (name: string, session: Buffer): void => {
    const [oldest] = sessions.keys();
    if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    sessions.set(name, session);
  };
  return {
    of: (name) => sessions.get(name),
    follow: (name, socket) => {
      // With TLS 1.2 the session exists before the connection is accepted; TLS 1.3 sends tickets later, as events.
      const session = socket.getProtocol() === 'TLSv1.2' ? socket.getSession() : undefined;
      if (session !== undefined) keep(name, session);
      socket.on('session', (ticket: Buffer) => keep(name, ticket));
    },
  };
}

export interface Trust {
  /** The usual authorities. */
  readonly guarded: () => SecureContext;
  /** The usual authorities and those of `--egress-ca`. */
  readonly excepted: () => SecureContext;
}

const MIN_VERSION = 'TLSv1.2';

const lazily = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

/**
 * Two contexts, each made at its first connection, because reading the authorities takes milliseconds.
 * @param ca PEM texts
 */
export function createTrust(ca: readonly string[]): Trust {
  return {
    guarded: lazily(() => createSecureContext({ minVersion: MIN_VERSION })),
    excepted: lazily(() =>
      createSecureContext({ minVersion: MIN_VERSION, ca: [...getCACertificates('default'), ...ca] }),
    ),
  };
}
