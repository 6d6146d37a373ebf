import { NOT_EVALUATED, type ListedOrb } from '../../core/publication/listed-orb.ts';

/** `acme.echo@1.0.0` of the namespace `acme`, published and never evaluated. */
export const aListedOrb = (members: Partial<ListedOrb> = {}): ListedOrb => ({
  orbId: 'acme.echo@1.0.0',
  namespace: 'acme',
  manifestDigest: `sha256:${'0'.repeat(64)}`,
  logIndex: 7,
  status: 'active',
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
