import { createHash, createPrivateKey, generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { parseIp } from '../../core/network/ip-address.ts';
import type { Clock } from '../time/clock.ts';
import {
  bitString,
  octetString,
  oid,
  positiveInteger,
  sequence,
  setOf,
  tagged,
  time,
  booleanTrue,
  utf8,
} from './der.ts';

/** A certificate with its private key, PEM: P-256, PKCS #8. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateTools {
  readonly clock: Pick<Clock, 'now'>;
  /** Unpredictable bytes, for serial numbers. */
  readonly random: (size: number) => Uint8Array;
}

/** Names and validity of a server certificate. */
export interface ServerSubject {
  readonly names: readonly string[];
  readonly ips?: readonly string[];
  /** Ms since the epoch; default: from an hour ago, for 90 days. */
  readonly validFrom?: number;
  readonly validTo?: number;
}

interface Body {
  readonly subject: string;
  readonly issuer: Buffer;
  readonly validFrom: number;
  readonly validTo: number;
  readonly publicKey: Buffer;
  readonly extensions: readonly Buffer[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CA_DAYS = 3650;
const SERVER_DAYS = 90;
const CA_NAME = 'Orb local CA';
const SERIAL_BYTES = 16;

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

// Context tags of RFC 5280: fields of the certificate, of the alternative names, of the authority's key id.
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;
const KEY_ID = 0x80;

const name = (text: string): Buffer => sequence(setOf(sequence(oid(OID.commonName), utf8(text))));
const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), octetString(value));
const critical = (id: string, value: Buffer): Buffer => sequence(oid(id), booleanTrue(), octetString(value));
const algorithm = (): Buffer => sequence(oid(OID.ecdsaWithSha256));
const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;

function keyPair(): { readonly publicKey: Buffer; readonly privateKey: KeyObject; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    privateKey,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Names a key; any value that differs between keys will do (RFC 5280 §4.2.1.2). */
const keyId = (publicKey: Buffer): Buffer => createHash('sha256').update(publicKey).digest().subarray(0, 20);

function serial(random: CertificateTools['random']): Buffer {
  const value = Buffer.from(random(SERIAL_BYTES));
  value[0] = ((value[0] ?? 0) & 0x7f) | 0x40; // positive, and never with a leading zero
  return positiveInteger(value);
}

function signed(body: Body, signer: KeyObject, random: CertificateTools['random']): string {
  const content = sequence(
    tagged(VERSION, positiveInteger(Buffer.of(2))),
    serial(random),
    algorithm(),
    body.issuer,
    sequence(time(body.validFrom), time(body.validTo)),
    name(body.subject),
    body.publicKey,
    tagged(EXTENSIONS, sequence(...body.extensions)),
  );
  return pem(sequence(content, algorithm(), bitString(sign('sha256', content, signer))));
}

/** A certificate authority for this machine only, valid for ten years. The caller must protect its key. */
export function makeLocalCa({ clock, random }: CertificateTools): Credential {
  const { publicKey, privateKey, key } = keyPair();
  const now = clock.now();
  const body: Body = {
    subject: CA_NAME,
    issuer: name(CA_NAME),
    validFrom: now - HOUR_MS,
    validTo: now + CA_DAYS * DAY_MS,
    publicKey,
    extensions: [
      critical(OID.basicConstraints, sequence(booleanTrue(), positiveInteger(Buffer.of(0)))), // issues server certificates only
      critical(OID.keyUsage, bitString(Buffer.of(0b0000_0110), 1)), // keyCertSign, cRLSign
      extension(OID.subjectKeyId, octetString(keyId(publicKey))),
    ],
  };
  return { certificate: signed(body, privateKey, random), key };
}

function alternativeName(ip: string): Buffer {
  const address = parseIp(ip);
  if (address === undefined) throw new TypeError(`no address: ${ip}`);
  return tagged(IP_ADDRESS, address);
}

/**
 * A server certificate of a local CA, with its own key.
 * @throws TypeError an address that is not valid
 */
export function issueServerCertificate(ca: Credential, subject: ServerSubject, tools: CertificateTools): Credential {
  const { publicKey, key } = keyPair();
  const authority = new X509Certificate(ca.certificate);
  const authorityKey = authority.publicKey.export({ type: 'spki', format: 'der' });
  const { names, ips = [] } = subject;
  const validFrom = subject.validFrom ?? tools.clock.now() - HOUR_MS;
  const alternatives = [
    ...names.map((dns) => tagged(DNS_NAME, Buffer.from(dns, 'latin1'))),
    ...ips.map(alternativeName),
  ];
  const body: Body = {
    subject: names[0] ?? ips[0] ?? 'server',
    issuer: name(CA_NAME),
    validFrom,
    validTo: subject.validTo ?? tools.clock.now() + SERVER_DAYS * DAY_MS,
    publicKey,
    extensions: [
      critical(OID.basicConstraints, sequence()),
      critical(OID.keyUsage, bitString(Buffer.of(0b1000_0000), 7)), // digitalSignature
      extension(OID.extendedKeyUsage, sequence(oid(OID.serverAuth))),
      extension(OID.subjectAltName, sequence(...alternatives)),
      extension(OID.subjectKeyId, octetString(keyId(publicKey))),
      extension(OID.authorityKeyId, sequence(tagged(KEY_ID, keyId(authorityKey)))),
    ],
  };
  return { certificate: signed(body, createPrivateKey(ca.key), tools.random), key };
}
