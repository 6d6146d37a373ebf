import { NOT_EVALUATED, type ListedOrb } from '../../core/publication/listed-orb.ts';

/** `acme.echo@1.0.0` of the namespace `acme`, published and never evaluated. */
export const aListedOrb = (members: Partial<ListedOrb> = {}): ListedOrb => ({
  orbId: 'acme.echo@1.0.0',
  namespace: 'acme',
  manifestDigest: `sha256:${'0'.repeat(64)}`,
  logIndex: 7,
  status: 'active',
  isSuspended: false,
  name: 'acme.echo',
  version: '1.0.0',
  description: 'Says what it hears.',
  provider: 'main',
  capabilities: [],
  publisher: { org: 'acme', verified: true, proof: 'operator', since: 0 },
  standing: NOT_EVALUATED,
  publishedAt: 0,
  updatedAt: 0,
  ...members,
});

/** @param orbId `acme.echo@1.0.0` */
export function aListedVersion(orbId: string, change: Partial<ListedOrb> = {}): ListedOrb {
  const at = orbId.lastIndexOf('@');
  return {
    orbId,
    namespace: 'acme',
    manifestDigest: `sha256:${'a'.repeat(64)}`,
    logIndex: 1,
    status: 'active',
    isSuspended: false,
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
