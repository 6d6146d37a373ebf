import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import { UrlSecretIndex, type VaultReach } from '../../../../api-server/vault/url-secret-index.ts';
import { hostAllowed } from '../../../../core/egress/host-binding.ts';
import { parseOrbId, type OrbId } from '../../../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../../../core/orb/compiled-orb.ts';
import { compileStored } from '../../../../core/orb/plan-manifest.ts';
import { resolveOrb } from '../../../../core/orb/resolve-orb.ts';
import type { PublishedVersion } from '../../../../core/run/published.ts';
import { urlSecretsOf } from '../../../../core/orb/url-secrets.ts';
import { anOrb, manifestOf } from '../../../support/kube-objects.ts';

const PLATFORM = 'orb-system';
const API = 'api.example.com';
const PLAIN = `https://${API}/`;
const inUrl = (entry: string, host = API): string => `https://${host}/?key={{orbiset.secrets.${entry}}}`;

function idOf(text: string): OrbId {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value;
}

function compiled(orbId: string, url: string): CompiledOrb {
  const execution = { type: 'http', method: 'GET', url };
  const stored = compileStored(anOrb('mail', { spec: manifestOf({ orb_id: orbId, execution }) }), []);
  if (stored.kind !== 'compiled') throw new TypeError(stored.message);
  return stored.orb;
}

const reach = (hosts: Readonly<Record<string, readonly string[]>>, orbs: readonly string[] = []): VaultReach => ({
  hosts: new Map(Object.entries(hosts)),
  orbs,
});

interface Started {
  readonly catalog: MemoryCatalog;
  readonly index: UrlSecretIndex;
  /** `namespace orb_id` of each reported change. */
  readonly changes: string[];
  /** What was published; `published` of the index tells of news. */
  readonly versions: Map<string, PublishedVersion>;
  /** @param url undefined: an Orb that was never valid */
  readonly put: (orbId: string, url: string | undefined, namespace?: string) => void;
  /** `ENTRY of ORB_ID` of an Orbiset in `acme`. */
  readonly said: (vault: VaultReach, namespace?: string) => readonly string[];
}

function start(): Started {
  const catalog = new MemoryCatalog();
  const changes: string[] = [];
  const versions = new Map<string, PublishedVersion>();
  const index = new UrlSecretIndex({
    catalog,
    platformNamespace: PLATFORM,
    published: (orbId) => versions.get(orbId),
    onChange: (namespace, orbId, isShared) => void changes.push(`${namespace} ${orbId}${isShared ? ' for all' : ''}`),
  });
  return {
    catalog,
    index,
    changes,
    versions,
    put: (orbId, url, namespace = 'acme') =>
      catalog.setOrb({
        namespace,
        name: orbId,
        orbId: idOf(orbId),
        compiled: url === undefined ? undefined : compiled(orbId, url),
        createdAt: 0,
      }),
    said: (vault, namespace = 'acme') =>
      index.entriesOf(namespace, vault).map(({ entry, orbId }) => `${entry} of ${orbId}`),
  };
}

const aVersion = (namespace: string, manifestDigest: string): PublishedVersion => ({
  namespace,
  manifestDigest,
  status: 'active',
  isCertified: true,
});

const IDS = ['acme.a@1.0.0', 'acme.b@1.0.0', 'acme.b@2.0.0'];

/** What an Orbiset in `acme` is told when each Orb is resolved as a run does. */
function askedOfAll({ catalog, versions }: Started, { hosts, orbs }: VaultReach): readonly string[] {
  const expected = new Map<string, string>();
  for (const id of IDS) {
    const found = resolveOrb(catalog, { namespace: 'acme', orbs }, idOf(id), {
      platformNamespace: PLATFORM,
      published: (orbId) => versions.get(orbId),
      digestOf: ({ compiled: orb }) => orb?.digest,
    });
    const { providers = new Map() } = found.kind === 'found' ? (found.entry.compiled ?? {}) : {};
    for (const { entry, host = '' } of urlSecretsOf({ providers }))
      if (hostAllowed(host, hosts.get(entry) ?? []) && !expected.has(entry)) expected.set(entry, id);
  }
  return [...expected].map(([entry, id]) => `${entry} of ${id}`).toSorted();
}

describe('UrlSecretIndex (security.md S2)', () => {
  it('names an entry that an Orb of the namespace sends in a URL, and nothing of other namespaces', () => {
    const { put, said } = start();
    put('acme.mail@1.0.0', inUrl('KEY'));
    expect(said(reach({ KEY: [API], OTHER: [API] }))).to.deep.equal(['KEY of acme.mail@1.0.0']);
    expect(said(reach({ OTHER: [API] }))).to.deep.equal([]);
    expect(said(reach({ KEY: [API] }), 'globex')).to.deep.equal([]);
  });

  it('still names an entry for one host of its URLs, and one version of an Orb, when the other is gone', () => {
    const { put, said } = start();
    put('acme.mail@1.0.0', inUrl('KEY'));
    put('acme.other@1.0.0', inUrl('KEY', 'api.example.net'));
    put('acme.mail@1.0.0', PLAIN);
    expect(said(reach({ KEY: ['*'] }))).to.deep.equal(['KEY of acme.other@1.0.0']);
    for (const version of ['1.0.0', '2.0.0']) put(`orb.shared@${version}`, inUrl('SHARED'), PLATFORM);
    put('orb.shared@1.0.0', PLAIN, PLATFORM);
    expect(said(reach({ SHARED: ['*'] }, ['orb.shared']))).to.deep.equal(['SHARED of orb.shared@2.0.0']);
  });

  const hosts: readonly (readonly [why: string, url: string, allowed: readonly string[], found: boolean])[] = [
    ['leaves out an entry that may not go to the host', inUrl('KEY'), ['api.example.net'], false],
    ['knows a suffix', inUrl('KEY'), ['*.example.com'], true],
    [
      'counts a host that only a run knows as allowed',
      'https://{{orbiset.secrets.KEY}}.example.com/',
      ['x.example.com'],
      true,
    ],
  ];
  for (const [why, url, allowed, isFound] of hosts)
    it(why, () => {
      const { put, said } = start();
      put('acme.mail@1.0.0', url);
      expect(said(reach({ KEY: allowed })).length).to.equal(isFound ? 1 : 0);
    });

  it('follows edits and removals', () => {
    const { catalog, put, said } = start();
    const vault = reach({ KEY: [API], OTHER: [API] });
    put('acme.mail@1.0.0', inUrl('KEY'));
    put('acme.mail@1.0.0', inUrl('OTHER'));
    expect(said(vault)).to.deep.equal(['OTHER of acme.mail@1.0.0']);
    catalog.removeOrb('acme', 'acme.mail@1.0.0');
    expect(said(vault)).to.deep.equal([]);
  });

  it('always names the lowest Orb id of an entry', () => {
    const { catalog, put, said } = start();
    const vault = reach({ KEY: [API, 'other.example.com'] });
    put('acme.b@1.0.0', inUrl('KEY'));
    put('acme.c@1.0.0', inUrl('KEY', 'other.example.com'));
    put('acme.a@1.0.0', inUrl('KEY', 'other.example.com'));
    expect(said(vault)).to.deep.equal(['KEY of acme.a@1.0.0']);
    catalog.removeOrb('acme', 'acme.a@1.0.0');
    expect(said(vault)).to.deep.equal(['KEY of acme.b@1.0.0']);
  });

  it('counts an Orb of the platform only where it is listed, by name or version, and not hidden by an own one', () => {
    const { put, said } = start();
    put('acme.mail@1.0.0', inUrl('KEY'), PLATFORM);
    const found = ['KEY of acme.mail@1.0.0'];
    expect(said(reach({ KEY: [API] }))).to.deep.equal([]);
    for (const name of ['acme.mail', 'acme.mail@1.0.0'])
      expect(said(reach({ KEY: [API] }, [name])), name).to.deep.equal(found);
    expect(said(reach({ KEY: [API] }, ['acme.mail@2.0.0']))).to.deep.equal([]);
    for (const own of [PLAIN, undefined]) {
      put('acme.mail@1.0.0', own);
      expect(said(reach({ KEY: [API] }, ['acme.mail'])), String(own)).to.deep.equal([]);
    }
  });

  it('counts a published Orb of another namespace where it is listed, before one of the platform', () => {
    const { catalog, put, said, versions } = start();
    put('acme.mail@1.0.0', inUrl('KEY'), 'acme');
    put('acme.mail@1.0.0', inUrl('OTHER'), PLATFORM);
    const vault = reach({ KEY: [API], OTHER: [API] }, ['acme.mail']);
    expect(said(vault, 'globex')).to.deep.equal(['OTHER of acme.mail@1.0.0']);
    const digest = catalog.orb('acme', idOf('acme.mail@1.0.0'))?.compiled?.digest ?? '';
    versions.set('acme.mail@1.0.0', aVersion('acme', digest));
    expect(said(vault, 'globex')).to.deep.equal(['KEY of acme.mail@1.0.0']);
    expect(said(reach({ KEY: [API] }), 'globex')).to.deep.equal([]);
    put('acme.mail@1.0.0', inUrl('OTHER'), 'acme');
    expect(said(vault, 'globex'), 'other bytes than were published do not run').to.deep.equal([]);
    catalog.removeOrb('acme', 'acme.mail@1.0.0');
    expect(said(vault, 'globex')).to.deep.equal(['OTHER of acme.mail@1.0.0']);
  });

  it('reports what a publication shares once, and each change of its Orb', () => {
    const { catalog, changes, index, put, versions } = start();
    put('acme.mail@1.0.0', inUrl('KEY'));
    put('acme.plain@1.0.0', PLAIN);
    changes.splice(0);
    for (const id of ['acme.mail@1.0.0', 'acme.plain@1.0.0']) {
      const digest = catalog.orb('acme', idOf(id))?.compiled?.digest ?? '';
      versions.set(id, aVersion('acme', digest));
    }
    index.published(['acme.mail@1.0.0', 'acme.plain@1.0.0', 'no id', 'acme.none@1.0.0']);
    index.published(['acme.mail@1.0.0']);
    expect(changes.splice(0)).to.deep.equal(['acme acme.mail@1.0.0 for all']);
    put('acme.mail@1.0.0', inUrl('KEY', 'other.example.com'));
    put('acme.plain@1.0.0', inUrl('KEY'));
    catalog.removeOrb('acme', 'acme.mail@1.0.0');
    expect(changes).to.deep.equal([
      'acme acme.mail@1.0.0 for all',
      'acme acme.plain@1.0.0 for all',
      'acme acme.mail@1.0.0 for all',
    ]);
  });

  it('finds what the catalogue held before it', () => {
    const { catalog, put } = start();
    put('acme.mail@1.0.0', inUrl('KEY'));
    const late = new UrlSecretIndex({
      catalog,
      platformNamespace: PLATFORM,
      published: () => undefined,
      onChange: () => undefined,
    });
    expect(late.entriesOf('acme', reach({ KEY: [API] }))).to.have.length(1);
  });

  it('reports a change only when it can change a status', () => {
    const { catalog, changes, index, put } = start();
    put('acme.plain@1.0.0', PLAIN);
    put('acme.mail@1.0.0', inUrl('KEY'));
    put('acme.mail@1.0.0', inUrl('KEY'));
    put('acme.mail@1.0.0', PLAIN);
    catalog.removeOrb('acme', 'acme.mail@1.0.0');
    expect(changes.splice(0)).to.deep.equal(['acme acme.mail@1.0.0', 'acme acme.mail@1.0.0']);
    put('acme.mail@1.0.0', inUrl('KEY'), PLATFORM);
    put('acme.mail@1.0.0', undefined);
    catalog.removeOrb('acme', 'acme.mail@1.0.0');
    expect(changes.splice(0), 'an own Orb hides the one of the platform').to.deep.equal([
      `${PLATFORM} acme.mail@1.0.0 for all`,
      'acme acme.mail@1.0.0',
      'acme acme.mail@1.0.0',
    ]);
    index.stop();
    put('acme.late@1.0.0', inUrl('KEY'));
    expect(changes).to.deep.equal([]);
  });

  it('finds what asking every Orb finds', () => {
    const urls = [PLAIN, inUrl('X'), inUrl('Y'), inUrl('X', 'other.example.com'), undefined, 'gone'];
    const step = fc.record({
      id: fc.constantFrom(...IDS),
      url: fc.constantFrom(...urls),
      namespace: fc.constantFrom('acme', 'globex', PLATFORM),
      publishes: fc.boolean(),
    });
    const vaults = fc.record({
      hosts: fc.dictionary(fc.constantFrom('X', 'Y'), fc.subarray([API, 'other.example.com'])),
      orbs: fc.subarray(['acme.a', 'acme.b', 'acme.b@2.0.0']),
    });
    fc.assert(
      fc.property(fc.array(step), vaults, (steps, given) => {
        const started = start();
        const { catalog, put, said, versions } = started;
        for (const { id, url, namespace, publishes } of steps) {
          if (url === 'gone') catalog.removeOrb(namespace, id);
          else put(id, url, namespace);
          const digest = catalog.orb(namespace, idOf(id))?.compiled?.digest;
          if (publishes && digest !== undefined && !versions.has(id)) versions.set(id, aVersion(namespace, digest));
        }
        const vault = reach(given.hosts, given.orbs);
        expect(said(vault)).to.deep.equal(askedOfAll(started, vault));
      }),
    );
  });

  it('looks at each host of an entry once, however many Orbs the namespace has', () => {
    const { catalog, said } = start();
    const orb = compiled('acme.mail@1.0.0', inUrl('KEY'));
    for (let number = 0; number < 1000; number += 1) {
      const orbId = idOf(`acme.mail@1.0.${number}`);
      catalog.setOrb({ namespace: 'acme', name: orbId, orbId, compiled: orb, createdAt: 0 });
    }
    let looks = 0;
    class CountedHosts extends Map<string, readonly string[]> {
      override get(entry: string): readonly string[] | undefined {
        looks += 1;
        return super.get(entry);
      }
    }
    expect(said({ hosts: new CountedHosts([['KEY', [API]]]), orbs: [] })).to.deep.equal(['KEY of acme.mail@1.0.0']);
    expect(looks).to.equal(1);
  });
});
