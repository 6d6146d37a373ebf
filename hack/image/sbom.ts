import { lockedPackages, otherwiseLicensed } from './locked-packages.ts';
import { fieldsOf, listOf, textOf } from './fields.ts';

/** Facts that are added to the list that npm makes. */
export interface SbomFacts {
  /** package-lock.json, parsed. */
  readonly lock: unknown;
  /** Time of the image: seconds since the epoch. */
  readonly created: number;
  /** The base's Node: version without `v`, SHA-256 of the program. */
  readonly node: { readonly version: string; readonly sha256: string };
}

type Fields = ReturnType<typeof fieldsOf>;

/** `name@version` → SHA-512 in hex, of every package of the lock. */
const integrities = (lock: unknown): ReadonlyMap<string, string> =>
  new Map(
    lockedPackages(lock).flatMap(({ shown, integrity }) => {
      const base64 = /^sha512-(\S+)$/.exec(integrity)?.[1];
      return base64 === undefined ? [] : [[shown, Buffer.from(base64, 'base64').toString('hex')] as const];
    }),
  );

/** A licence from the file beside the package, where its manifest names none. */
const withLicence = (ref: string, component: Fields): Fields => {
  const id = otherwiseLicensed(ref);
  return component['licenses'] !== undefined || id === ''
    ? component
    : { ...component, licenses: [{ license: { id } }] };
};

function nodeComponent({ version, sha256 }: SbomFacts['node']): Fields {
  return {
    'bom-ref': `node@${version}`,
    type: 'platform',
    name: 'node',
    version,
    scope: 'required',
    purl: `pkg:generic/node@${version}`,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
    licenses: [{ license: { id: 'MIT' } }],
  };
}

/** Removes download addresses, which depend on the building machine, so that the list is the same everywhere. */
const withoutSources = (component: Fields): Fields => ({
  ...component,
  externalReferences: listOf(component['externalReferences']).filter(({ type }) => type !== 'distribution'),
});

/**
 * Completes the CycloneDX list that `npm sbom` prints, so that two builds write the same bytes. It has the time of the
 * image instead of the clock, no random serial number, the digests of the lock, and the base's Node.
 * @throws Error a package of the list has no digest in the lock
 */
export function completeSbom(npmList: unknown, { lock, created, node }: SbomFacts): Fields {
  const { serialNumber: _random, ...bom } = fieldsOf(npmList);
  const metadata = fieldsOf(bom['metadata']);
  const root = withoutSources(fieldsOf(metadata['component']));
  const known = integrities(lock);
  const packages = listOf(bom['components']).map((component) => {
    const ref = textOf(component['bom-ref']);
    const content = known.get(ref);
    if (content === undefined) throw new Error(`the lock has no digest of ${ref}`);
    return { ...withLicence(ref, withoutSources(component)), hashes: [{ alg: 'SHA-512', content }] };
  });
  // npm names the root after its folder.
  const name = textOf(root['bom-ref']).replace(/@[^@]*$/, '');
  return {
    ...bom,
    metadata: {
      ...metadata,
      timestamp: new Date(created * 1000).toISOString(),
      component: { ...root, type: 'application', name },
    },
    components: [...packages, nodeComponent(node)],
  };
}
