import type { Manifest } from '../../crds/manifest.ts';
import { entryOf, type Effect, type Ontology } from './ontology.ts';
import { ORB_ONTOLOGY } from './orb-ontology.ts';

const STRENGTH: Readonly<Record<Effect, number>> = { none: 0, reversible: 1, irreversible: 2 };

const DEFAULT: Effect = 'reversible';

/** Whether an effect leaves less behind than another one. */
export const isWeaker = (effect: Effect, than: Effect): boolean => STRENGTH[effect] < STRENGTH[than];

/** The strongest minimum of the capabilities that the ontology knows; undefined when it knows none of them. */
export function minimumEffect(capabilities: readonly string[], ontology: Ontology): Effect | undefined {
  const known = capabilities.flatMap((name) => entryOf(ontology.capabilities, name)?.effect ?? []);
  return known.reduce<Effect | undefined>(
    (strongest, effect) => (strongest === undefined || isWeaker(strongest, effect) ? effect : strongest),
    undefined,
  );
}

/**
 * The effect that counts for a run (trust.md §8.2): the declared one, else the strongest minimum of the known
 * capabilities, else `reversible`. It is never written into the manifest: the digest covers the manifest as sent.
 */
export const effectiveEffect = (
  { effect, capabilities = [] }: Pick<Manifest, 'effect' | 'capabilities'>,
  ontology: Ontology = ORB_ONTOLOGY,
): Effect => effect ?? minimumEffect(capabilities, ontology) ?? DEFAULT;
