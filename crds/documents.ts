// generated from schemas by hack/generate.ts: do not edit
import type { Manifest } from './manifest.ts';
import type { Orb } from './orb.ts';
import type { Orbiset } from './orbiset.ts';
import type { OrbPolicy } from './orbpolicy.ts';
import type { OrbPublication } from './orbpublication.ts';
import type { OrbSignalSource } from './orbsignalsource.ts';
import type { Secret } from './secret.ts';
import { validate as manifest } from './validators/manifest.ts';
import { validate as orb } from './validators/orb.ts';
import { validate as orbiset } from './validators/orbiset.ts';
import { validate as orbpolicy } from './validators/orbpolicy.ts';
import { validate as orbpublication } from './validators/orbpublication.ts';
import { validate as orbsignalsource } from './validators/orbsignalsource.ts';
import { validate as secret } from './validators/secret.ts';

/** Types of documents, by the name of their schema. */
export interface Documents {
  readonly manifest: Manifest;
  readonly orb: Orb;
  readonly orbiset: Orbiset;
  readonly orbpolicy: OrbPolicy;
  readonly orbpublication: OrbPublication;
  readonly orbsignalsource: OrbSignalSource;
  readonly secret: Secret;
}

/** Checks of documents, by the name of their schema. */
export const validators = { manifest, orb, orbiset, orbpolicy, orbpublication, orbsignalsource, secret };
