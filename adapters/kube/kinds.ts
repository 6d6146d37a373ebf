import { OWN_KINDS } from '../../crds/kinds.ts';
import type { Kind } from './port.ts';

/** API group of the platform's own kinds. */
export const OWN_GROUP = OWN_KINDS.orb.group;

const core = (kind: string, plural: string): Kind => ({ group: '', version: 'v1', kind, plural, namespaced: true });

/** The kinds that the platform reads or writes. */
export const KINDS = {
  ...OWN_KINDS,
  secret: core('Secret', 'secrets'),
  configMap: core('ConfigMap', 'configmaps'),
  service: core('Service', 'services'),
  pod: core('Pod', 'pods'),
  roleBinding: {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    namespaced: true,
  },
  lease: { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease', plural: 'leases', namespaced: true },
  event: { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', namespaced: true },
  tokenReview: {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'TokenReview',
    plural: 'tokenreviews',
    namespaced: false,
  },
  selfSubjectReview: {
    group: 'authentication.k8s.io',
    version: 'v1',
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    namespaced: false,
  },
  subjectAccessReview: {
    group: 'authorization.k8s.io',
    version: 'v1',
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
    namespaced: false,
  },
} as const satisfies Readonly<Record<string, Kind>>;
