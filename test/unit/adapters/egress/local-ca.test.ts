import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { issueServerCertificate, makeLocalCa } from '../../../../adapters/egress/local-ca.ts';

const NOW = Date.UTC(2049, 11, 31, 23, 59, 58);
const DAY_MS = 86_400_000;
const tools = { clock: { now: () => NOW }, random: (size: number) => new Uint8Array(size).fill(0xff) };

/** The bytes 128, 1, 2, 3 … in place of random ones. */
const counted = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => (at === 0 ? 128 : at));

describe('makeLocalCa', () => {
  const ca = makeLocalCa(tools);
  const certificate = new X509Certificate(ca.certificate);

  it('makes an authority that signed itself, with the key that it gives', () => {
    expect(certificate.ca).to.equal(true);
    expect(certificate.subject).to.equal('CN=Orb local CA');
    expect(certificate.verify(certificate.publicKey)).to.equal(true);
    expect(certificate.checkIssued(certificate)).to.equal(true);
    expect(ca.key).to.match(/^-----BEGIN PRIVATE KEY-----/);
  });

  it('is valid from an hour ago for ten years, across the change of the date format', () => {
    expect(certificate.validFrom).to.equal('Dec 31 22:59:58 2049 GMT');
    expect(certificate.validTo).to.equal('Dec 29 23:59:58 2059 GMT');
  });

  it('may sign certificates and lists of revoked ones, and nothing else', () => {
    // RFC 5280 §4.2.1.3: keyUsage (2.5.29.15), critical, seven bits of which the last two are set.
    expect(certificate.raw.toString('hex')).to.include('0603551d0f0101ff040403020106');
  });

  it('has a positive serial number', () => {
    expect(certificate.serialNumber).to.equal(`7F${'FF'.repeat(15)}`);
  });

  it('has a serial number of its random bytes, with a first byte that is positive and not zero', () => {
    const { serialNumber } = new X509Certificate(makeLocalCa({ ...tools, random: counted }).certificate);
    expect(serialNumber).to.equal('400102030405060708090A0B0C0D0E0F');
  });

  it('makes another key every time', () => {
    expect(makeLocalCa(tools).key).to.not.equal(ca.key);
  });
});

describe('issueServerCertificate', () => {
  const ca = makeLocalCa(tools);
  const authority = new X509Certificate(ca.certificate);
  const issued = issueServerCertificate(ca, { names: ['a.example', 'b.example'], ips: ['127.0.0.1', '::1'] }, tools);
  const certificate = new X509Certificate(issued.certificate);

  it('makes a certificate of the authority, which is none itself', () => {
    expect(certificate.verify(authority.publicKey)).to.equal(true);
    expect(certificate.checkIssued(authority)).to.equal(true);
    expect(certificate.ca).to.equal(false);
    expect(certificate.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.1']);
  });

  it('names the hosts and addresses and no others', () => {
    expect(certificate.subjectAltName).to.equal(
      'DNS:a.example, DNS:b.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(certificate.checkHost('b.example')).to.equal('b.example');
    expect(certificate.checkHost('c.example')).to.equal(undefined);
    expect(certificate.checkIP('127.0.0.1')).to.equal('127.0.0.1');
  });

  it('is valid for 90 days, or as long as it was asked for', () => {
    const short = issueServerCertificate(
      ca,
      { names: ['a.example'], validFrom: NOW - 2 * DAY_MS, validTo: NOW - DAY_MS },
      tools,
    );
    expect(certificate.validTo).to.equal('Mar 31 23:59:58 2050 GMT');
    expect(new X509Certificate(short.certificate).validTo).to.equal('Dec 30 23:59:58 2049 GMT');
  });

  it('holds a name list above 127 bytes and above 255 bytes', () => {
    for (const count of [8, 40]) {
      const names = Array.from({ length: count }, (_name, at) => `host-${at}.example.com`);
      const { certificate: long } = issueServerCertificate(ca, { names }, tools);
      expect(new X509Certificate(long).subjectAltName).to.equal(names.map((name) => `DNS:${name}`).join(', '));
    }
  });

  it('has a subject also when it names no host', () => {
    const { certificate: bare } = issueServerCertificate(ca, { names: [] }, tools);
    expect(new X509Certificate(bare).subject).to.equal('CN=server');
  });

  it('refuses an address that is none', () => {
    expect(() => issueServerCertificate(ca, { names: [], ips: ['x'] }, tools)).to.throw(TypeError, 'no address: x');
  });
});
