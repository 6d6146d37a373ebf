import { isConfusable, isReservedOrg } from './org-name.ts';

/** An organisation that somebody has proven, as the ledger has it. */
export interface KnownOrg {
  readonly org: string;
  readonly namespace: string;
  readonly proof: 'operator' | 'dns';
  readonly state: 'verified' | 'unverified' | 'suspended';
}

/** Who may prove organisations by the settings of the installation (trust.md §8.1). */
export interface OperatorProof {
  /** From organisation to namespace: flag `--org`, value `reputation.orgs`. */
  readonly orgs: ReadonlyMap<string, string>;
  /** The first publication of an organisation claims it for its namespace: standalone without `--org`. */
  readonly firstComes: boolean;
}

/** Whether a tenant may publish under an organisation. */
export type Ownership =
  | { readonly kind: 'owns' }
  /** The publication claims it, by the proof `operator`. */
  | { readonly kind: 'claims' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'unverified'; readonly why: string };

const UNVERIFIED = {
  unverified: 'Its proof failed three times in a row: orb org verify NAME checks it again.',
  suspended: 'The platform suspended it.',
} as const;

function ofKnown(known: KnownOrg, tenant: string): Ownership {
  if (known.namespace !== tenant) return { kind: 'foreign' };
  return known.state === 'verified' ? { kind: 'owns' } : { kind: 'unverified', why: UNVERIFIED[known.state] };
}

/** Decides stage `namespace` (trust.md §8): the caller's tenant owns the organisation, or may claim it now. */
export function ownershipOf(
  org: string,
  tenant: string,
  { known, operator }: { readonly known: KnownOrg | undefined; readonly operator: OperatorProof },
): Ownership {
  if (known !== undefined) return ofKnown(known, tenant);
  const named = operator.orgs.get(org);
  if (named !== undefined) return named === tenant ? { kind: 'claims' } : { kind: 'foreign' };
  if (operator.firstComes) return { kind: 'claims' };
  return { kind: 'unverified', why: 'Nobody has proven it: orb org claim NAME, then orb org verify NAME.' };
}

/** Why nobody but the operator of the installation can give away a name; undefined: it is free. */
export function refusedName(org: string, others: Iterable<Pick<KnownOrg, 'org'>>): string | undefined {
  if (isReservedOrg(org)) return `${org} is reserved.`;
  for (const other of others) if (isConfusable(org, other.org)) return `It looks like ${other.org}.`;
  return undefined;
}
