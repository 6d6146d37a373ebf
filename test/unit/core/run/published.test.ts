import { expect } from 'chai';
import { publishedFacts, type PublishedVersion, type PublishedVersions } from '../../../../core/run/published.ts';

const orb = { orbId: 'acme.echo@1.0.0', namespace: 'acme', digest: 'sha256:1' };

const version: PublishedVersion = {
  manifestDigest: 'sha256:1',
  namespace: 'acme',
  status: 'active',
  isCertified: true,
};

const known = (
  change: Partial<PublishedVersion> | null = {},
  owner: string | undefined = 'acme',
): PublishedVersions => ({
  version: () => (change === null ? undefined : { ...version, ...change }),
  ownerOf: () => owner,
  isFresh: () => true,
});

describe('publishedFacts (trust.md §1.1, §4)', () => {
  it('is the own run of the tenant that owns the organisation, wherever the copy lives', () => {
    const copy = { ...orb, namespace: 'globex' };
    expect(publishedFacts(copy, 'acme', known()).self).to.equal(true);
    expect(publishedFacts(copy, 'globex', known()).self).to.equal(false);
  });

  it('is the own run of a tenant in its namespace while nobody owns the organisation', () => {
    const nobody = { ...known(null), ownerOf: () => undefined };
    expect(publishedFacts(orb, 'acme', nobody).self).to.equal(true);
    expect(publishedFacts(orb, 'globex', nobody).self).to.equal(false);
  });

  it('fails the manifest where the owner runs other bytes than it published', () => {
    expect(publishedFacts({ ...orb, digest: 'sha256:2' }, 'acme', known()).manifest).to.equal('fail');
  });

  it('compares nothing in a namespace that does not own the organisation', () => {
    const copy = { ...orb, namespace: 'globex', digest: 'sha256:2' };
    expect(publishedFacts(copy, 'globex', known())).to.include({ manifest: 'pass', standing: 'fail' });
  });

  const standings: readonly [string, Partial<PublishedVersion> | null, string][] = [
    ['an active version with a tier', {}, 'pass'],
    ['a deprecated one', { status: 'deprecated' }, 'pass'],
    ['an uncertified one', { isCertified: false }, 'fail'],
    ['a yanked one', { status: 'yanked' }, 'fail'],
    ['a suspended one', { status: 'suspended' }, 'fail'],
    ['other bytes', { manifestDigest: 'sha256:2' }, 'fail'],
    ['what nobody published', null, 'fail'],
  ];
  for (const [why, change, standing] of standings) {
    it(`gives ${why} the standing ${standing}`, () => {
      expect(publishedFacts(orb, 'globex', known(change)).standing).to.equal(standing);
    });
  }

  it('does not know a standing from a memory that is not fresh', () => {
    expect(publishedFacts(orb, 'globex', { ...known(), isFresh: () => false }).standing).to.equal('unknown');
  });
});
