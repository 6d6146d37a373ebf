// generated from schemas by hack/generate.ts: do not edit

interface OwnKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The kinds of the platform, by the name of their schema. */
export const OWN_KINDS: Readonly<
  Record<'orb' | 'orbiset' | 'orbpolicy' | 'orbpublication' | 'orbsignalsource', OwnKind>
> = {
  orb: { group: 'orbs.dev', version: 'v1alpha1', kind: 'Orb', plural: 'orbs', namespaced: true },
  orbiset: { group: 'orbs.dev', version: 'v1alpha1', kind: 'Orbiset', plural: 'orbisets', namespaced: true },
  orbpolicy: { group: 'orbs.dev', version: 'v1alpha1', kind: 'OrbPolicy', plural: 'orbpolicies', namespaced: true },
  orbpublication: {
    group: 'orbs.dev',
    version: 'v1alpha1',
    kind: 'OrbPublication',
    plural: 'orbpublications',
    namespaced: true,
  },
  orbsignalsource: {
    group: 'orbs.dev',
    version: 'v1alpha1',
    kind: 'OrbSignalSource',
    plural: 'orbsignalsources',
    namespaced: true,
  },
};
