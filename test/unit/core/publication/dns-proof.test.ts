import { expect } from 'chai';
import fc from 'fast-check';
import { claimText, domainProves, readDnsProof } from '../../../../core/publication/dns-proof.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('readDnsProof', () => {
  const rows: [why: string, record: string, key: string | undefined][] = [
    ['the form of the reference', `v=ORBv1; org=acme; k=ed25519; p=${KEY}`, KEY],
    ['no spaces', `v=ORBv1;org=acme;k=ed25519;p=${KEY}`, KEY],
    ['a semicolon and a space at the end', `v=ORBv1; org=acme; k=ed25519; p=${KEY}; `, KEY],
    ['another organisation', `v=ORBv1; org=acme-com; k=ed25519; p=${KEY}`, undefined],
    ['another version', `v=ORBv2; org=acme; k=ed25519; p=${KEY}`, undefined],
    ['another kind of key', `v=ORBv1; org=acme; k=rsa; p=${KEY}`, undefined],
    ['another order', `org=acme; v=ORBv1; k=ed25519; p=${KEY}`, undefined],
    ['a short key', `v=ORBv1; org=acme; k=ed25519; p=${KEY.slice(4)}`, undefined],
    ['base64url', `v=ORBv1; org=acme; k=ed25519; p=${'-'.repeat(43)}=`, undefined],
    ['more behind it', `v=ORBv1; org=acme; k=ed25519; p=${KEY}; x=1`, undefined],
    ['another record', 'v=spf1 -all', undefined],
    ['nothing', '', undefined],
  ];
  for (const [why, record, key] of rows) {
    it(`${why}: ${key === undefined ? 'none' : 'the key'}`, () => {
      expect(readDnsProof(record, 'acme')).to.equal(key);
    });
  }

  it('answers every text, also a long one, quickly', () => {
    fc.assert(fc.property(fc.string(), (text) => readDnsProof(text, 'acme') === undefined));
    expect(readDnsProof(`v=ORBv1;${' '.repeat(60_000)}`, 'acme')).to.equal(undefined);
  });
});

describe('domainProves', () => {
  const rows: [domain: string, org: string, proves: boolean][] = [
    ['acme.com', 'acme', true],
    ['acme.com', 'acme-com', true],
    ['acme.co.uk', 'acme-co-uk', true],
    ['acme.co.uk', 'acme', false],
    ['acme.example.com', 'acme', false],
    ['acme.com', 'com', false],
    ['Acme.com', 'acme', false],
    ['acme.com.', 'acme', false],
    ['acme', 'acme', false],
    ['10.0.0.1', '10', false],
    ['acme..com', 'acme', false],
    ['-acme.com', '-acme', false],
    ['acme.com/x', 'acme', false],
    [`${'a'.repeat(64)}.com`, 'a'.repeat(64), false],
    [`${'a.'.repeat(130)}com`, 'a', false],
  ];
  for (const [domain, org, proves] of rows) {
    it(`${domain.slice(0, 30)} ${proves ? 'proves' : 'does not prove'} ${org.slice(0, 30)}`, () => {
      expect(domainProves(domain, org)).to.equal(proves);
    });
  }
});

describe('claimText', () => {
  it('names organisation, tenant and challenge, a line each', () => {
    expect(claimText('acme', 'team-a', 'n0nce')).to.equal('orb-org-claim\nacme\nteam-a\nn0nce');
  });
});
