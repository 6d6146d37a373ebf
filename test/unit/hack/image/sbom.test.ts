import { expect } from 'chai';
import { completeSbom, type SbomFacts } from '../../../../hack/image/sbom.ts';
import { shippedManifest } from '../../../../hack/image/shipped-manifest.ts';

const HELLO =
  '9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca72323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043';
const integrity = `sha512-${Buffer.from(HELLO, 'hex').toString('base64')}`;

const facts: SbomFacts = {
  lock: {
    packages: {
      '': { name: 'orb-platform', version: '1.0.0' },
      'node_modules/@scope/a': { version: '1.2.3', integrity },
      'node_modules/b/node_modules/c': { version: '4.5.6', integrity },
    },
  },
  created: 1_700_000_000,
  node: { version: '24.1.0', sha256: 'ab'.repeat(32) },
};

const listed = (refs: readonly string[], serial: string): unknown => ({
  bomFormat: 'CycloneDX',
  serialNumber: `urn:uuid:${serial}`,
  metadata: { timestamp: '2001-01-01T00:00:00Z', component: { 'bom-ref': 'orb-platform@1.0.0', name: serial } },
  components: refs.map((ref) => ({
    'bom-ref': ref,
    externalReferences: [
      { type: 'distribution', url: `https://${serial}.example/a.tgz` },
      { type: 'vcs', url: 'https://forge.example/a.git' },
    ],
  })),
});

describe('completeSbom', () => {
  it('writes the same of two runs of npm in two folders, from two registries', () => {
    const one = completeSbom(listed(['@scope/a@1.2.3'], 'one'), facts);
    expect(one).to.deep.equal(completeSbom(listed(['@scope/a@1.2.3'], 'other'), facts));
    expect(one).to.have.nested.property('metadata.timestamp', '2023-11-14T22:13:20.000Z');
    expect(one).to.have.nested.property('metadata.component.name', 'orb-platform');
  });

  it("takes the packages' digests from the lock, nested ones too", () => {
    const { components } = completeSbom(listed(['@scope/a@1.2.3', 'c@4.5.6'], 'one'), facts);
    expect(components)
      .to.have.nested.property('0.hashes')
      .that.deep.equals([{ alg: 'SHA-512', content: HELLO }]);
    expect(components)
      .to.have.nested.property('1.hashes')
      .that.deep.equals([{ alg: 'SHA-512', content: HELLO }]);
  });

  it('lists the Node of the base', () => {
    const { components } = completeSbom(listed([], 'one'), facts);
    expect(components).to.have.nested.property('0.purl', 'pkg:generic/node@24.1.0');
    expect(components).to.have.nested.property('0.hashes.0.content', 'ab'.repeat(32));
  });

  it('has the licence of a package whose manifest names none', () => {
    const lock = { packages: { 'node_modules/color-convert': { version: '0.5.3', integrity } } };
    const { components } = completeSbom(listed(['color-convert@0.5.3'], 'one'), { ...facts, lock });
    expect(components).to.have.nested.property('0.licenses.0.license.id', 'MIT');
  });

  it('refuses a package that the lock does not know', () => {
    expect(() => completeSbom(listed(['c@4.5.7'], 'one'), facts)).to.throw('the lock has no digest of c@4.5.7');
  });
});

describe('shippedManifest', () => {
  it('leaves what only the checkout needs', () => {
    const shipped = { name: 'orb-platform', version: '1.0.0', type: 'module', dependencies: { a: '1.2.3' } };
    const manifest = {
      ...shipped,
      scripts: { test: 'mocha' },
      devDependencies: { mocha: '1.0.0' },
      bin: { orb: 'cli/orb.js' },
    };
    expect(shippedManifest(manifest)).to.deep.equal(shipped);
  });
});
