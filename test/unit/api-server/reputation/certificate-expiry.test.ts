import { expect } from 'chai';
import { CertificateExpiry } from '../../../../api-server/reputation/certificate-expiry.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { credentialIn } from '../../../../core/certificate/read-credential.ts';
import { NOT_EVALUATED, type ListedOrb } from '../../../../core/publication/listed-orb.ts';
import { aListedVersion } from '../../../support/a-listed-orb.ts';
import { aJwt } from '../../core/verify/a-certificate.ts';

type StoredCertificate = NonNullable<Awaited<ReturnType<Ledger['certificate']>>>;

const jwt = aJwt();
const UNTIL = Date.parse(credentialIn(jwt)?.validUntil ?? '');
const stored = (change: Partial<StoredCertificate> = {}): StoredCertificate => ({
  issuedAt: 0,
  jwt,
  statusIndex: 1,
  logIndex: 1,
  revoked: false,
  ...change,
});
const certified = { ...NOT_EVALUATED, tier: 'bronze' } as const;

describe('CertificateExpiry', () => {
  let orbs: ListedOrb[];
  let certificates: Map<string, StoredCertificate>;
  let evaluatedAt: number;
  let reads: string[];
  let expiry: CertificateExpiry;
  beforeEach(() => {
    orbs = [aListedVersion('acme.a@1.0.0', { standing: certified })];
    certificates = new Map([['acme.a@1.0.0', stored()]]);
    [evaluatedAt, reads] = [1, []];
    expiry = new CertificateExpiry({
      ledger: {
        certificate: async (orbId) => {
          reads.push(orbId);
          return certificates.get(orbId);
        },
      },
      listings: { all: () => orbs, evaluatedAt: () => evaluatedAt },
    });
  });

  it('is the end of the certificate in force', async () => {
    expect(UNTIL).to.be.greaterThan(0);
    expect(await expiry.next()).to.equal(UNTIL);
  });

  it('reads a certificate again only after an evaluation', async () => {
    await expiry.next();
    certificates.clear();
    expect(await expiry.next()).to.equal(UNTIL);
    evaluatedAt = 2;
    expect(await expiry.next()).to.equal(undefined);
    expect(reads).to.have.length(2);
  });

  it('counts no revoked certificate, and none of a version that may not have one', async () => {
    certificates.set('acme.a@1.0.0', stored({ revoked: true }));
    expect(await expiry.next()).to.equal(undefined);
    for (const change of [{ standing: NOT_EVALUATED }, { status: 'yanked' }, { status: 'suspended' }] as const) {
      orbs = [aListedVersion('acme.b@1.0.0', { standing: certified, ...change })];
      certificates.set('acme.b@1.0.0', stored());
      expect(await expiry.next()).to.equal(undefined);
    }
    expect(reads).to.deep.equal(['acme.a@1.0.0']);
  });

  it('forgets a version that lost its tier', async () => {
    await expiry.next();
    orbs = [];
    expect(await expiry.next()).to.equal(undefined);
  });

  it('reads 200 at a call', async () => {
    orbs = Array.from({ length: 250 }, (_, at) => aListedVersion(`acme.x${at}@1.0.0`, { standing: certified }));
    await expiry.next();
    expect(reads).to.have.length(200);
    await expiry.next();
    await expiry.next();
    expect(reads).to.have.length(250);
  });
});
