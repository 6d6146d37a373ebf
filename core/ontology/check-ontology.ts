import type { Manifest } from '../../crds/manifest.ts';
import type { Finding } from '../manifest/finding.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkEffect } from './check-effect.ts';
import { checkTerms } from './check-terms.ts';
import type { Ontology } from './ontology.ts';
import { ORB_ONTOLOGY } from './orb-ontology.ts';

/**
 * What the ontology says about a manifest that is to be published (trust.md §8.2). Every member that it reads is
 * optional: a manifest without them gets warnings at most. Pointers are relative to the manifest.
 * @param manifest valid by its schema
 */
export const checkOntology = (manifest: Manifest, ontology: Ontology = ORB_ONTOLOGY): readonly Finding[] => [
  ...checkCapabilities(manifest, ontology),
  ...checkTerms(manifest, ontology),
  ...checkEffect(manifest, ontology),
];
