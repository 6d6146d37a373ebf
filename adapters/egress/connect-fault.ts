import type { Socket } from 'node:net';
import { TLSSocket, type DetailedPeerCertificate } from 'node:tls';
import { errorCode } from '../../core/errors/error-code.ts';
import { EgressFault, EXHAUSTED, isShortage } from './faults.ts';
import type { TransportFault } from './port.ts';

const EXPIRED = 'CERT_HAS_EXPIRED';

/** Faults by the code of OpenSSL or Node. */
const BY_CODE: Readonly<Record<string, TransportFault>> = {
  ECONNREFUSED: { kind: 'refused' },
  CERT_NOT_YET_VALID: { kind: 'not-yet-valid' },
  ERR_TLS_CERT_ALTNAME_INVALID: { kind: 'wrong-name' },
  DEPTH_ZERO_SELF_SIGNED_CERT: { kind: 'untrusted' },
  SELF_SIGNED_CERT_IN_CHAIN: { kind: 'untrusted' },
  UNABLE_TO_GET_ISSUER_CERT: { kind: 'untrusted' },
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: { kind: 'untrusted' },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: { kind: 'untrusted' },
  ERR_SSL_WRONG_VERSION_NUMBER: { kind: 'not-tls' },
  ERR_SSL_PACKET_LENGTH_TOO_LONG: { kind: 'not-tls' },
};

/** More issuers are in no chain that is accepted. */
const MOST_ISSUERS = 8;

/** The earliest end of validity in the chain; null without a certificate. */
function endOfValidity(socket: TLSSocket): number | null {
  const chain: DetailedPeerCertificate[] = [];
  // The last one is its own issuer. Without a certificate Node returns an empty object.
  let one: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  for (; chain.length < MOST_ISSUERS && one !== undefined && !chain.includes(one); one = one.issuerCertificate)
    chain.push(one);
  const earliest = Math.min(...chain.map(({ valid_to: end }) => Date.parse(end)).filter(Number.isFinite));
  return Number.isFinite(earliest) ? earliest : null;
}

/**
 * Keeps what a connection shows before it breaks, for the fault that the caller is told. The texts of errors are not
 * used: they can quote names that come from a secret.
 */
export class ConnectWatch {
  #tcpDone = false;
  #expiredAt: number | null = null;

  constructor(socket: Socket) {
    socket.once('connect', () => {
      this.#tcpDone = true;
    });
    if (socket instanceof TLSSocket) this.#watchExpiry(socket);
  }

  /** Node destroys a connection whose certificate it refuses; afterwards the certificate can't be read. */
  #watchExpiry(socket: TLSSocket): void {
    const destroy = socket.destroy.bind(socket);
    socket.destroy = (error?: Error) => {
      if (errorCode(error) === EXPIRED) this.#expiredAt = endOfValidity(socket);
      return destroy(error);
    };
  }

  /** The fault behind an error of the socket. */
  faultOf(error: Error): EgressFault {
    if (error instanceof EgressFault) return error;
    if (isShortage(error)) return new EgressFault(EXHAUSTED);
    const code = this.#tcpDone ? 'tls' : 'connect';
    const fault = this.#known(errorCode(error) ?? '');
    return new EgressFault({ kind: 'transport', code, ...(fault === undefined ? {} : { fault }) });
  }

  #known(code: string): TransportFault | undefined {
    if (code === EXPIRED) return { kind: 'expired', at: this.#expiredAt };
    return Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  }
}
