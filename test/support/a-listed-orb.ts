import { NOT_EVALUATED, type ListedOrb } from '../../core/publication/listed-orb.ts';

/** A listed version. @param orbId `acme.echo@1.0.0` */
export function aListedOrb(orbId: string, change: Partial<ListedOrb> = {}): ListedOrb {
  const at = orbId.lastIndexOf('@');
  return {
    orbId,
    namespace: 'acme',
    manifestDigest: `sha256:${'a'.repeat(64)}`,
    logIndex: 1,
    status: 'active',
    name: orbId.slice(0, at),
    version: orbId.slice(at + 1),
    description: '',
    provider: 'main',
    capabilities: [],
    publisher: { org: orbId.slice(0, orbId.indexOf('.')), verified: true, proof: 'operator', since: 0 },
    standing: NOT_EVALUATED,
    publishedAt: 0,
    updatedAt: 0,
    ...change,
  };
}
