import type { Phase } from '../../core/policy/facts/fact-schema.ts';
import { unitsOfSet, withinBudget } from '../../core/policy/decision/cost-budget.ts';
import {
  policySet,
  type EffectiveMode,
  type MissingPolicy,
  type PolicyInForce,
  type PolicySet,
} from '../../core/policy/decision/policy-set.ts';
import type { PolicyDefinition } from '../../core/policy/document/definition.ts';
import type { CompiledPolicy } from '../../core/policy/language/port.ts';

interface Placed {
  readonly namespace: string;
  readonly name: string;
  /** Of the object, ms since the epoch: the budget is for the oldest first. */
  readonly createdAt: number;
  /** It is for the runs of every tenant; only a policy of the platform namespace can be. */
  readonly isPlatform: boolean;
}

/** A policy with a version in force. */
interface StandingVersion extends Placed {
  readonly kind: 'version';
  readonly definition: PolicyDefinition;
  readonly compiled: CompiledPolicy;
  readonly mode: EffectiveMode;
}

/** A policy that is wanted, and of which no version is in force. */
interface StandingWithout extends Placed, MissingPolicy {
  readonly kind: 'without';
}

/** What holds of a policy that is not disabled. */
export type Standing = StandingVersion | StandingWithout;

interface Built {
  /** Undefined: there is no policy. */
  readonly set: PolicySet | undefined;
  /** Names of policies of this namespace that do not fit into the budget. */
  readonly refused: ReadonlySet<string>;
}

const NOTHING: Built = { set: undefined, refused: new Set() };

const byAge = (one: Placed, other: Placed): number =>
  one.createdAt - other.createdAt || (one.name < other.name ? -1 : Number(one.name > other.name));

const isVersion = (standing: Standing): standing is StandingVersion => standing.kind === 'version';
const isWithout = (standing: Standing): standing is StandingWithout => standing.kind === 'without';

/** A version that does not fit into the budget counts as not in force. */
const asMissing = ({ namespace, name, mode, definition: { spec } }: StandingVersion): MissingPolicy => ({
  namespace,
  name,
  mode,
  requireReady: spec.requireReady,
  match: spec.match,
});

const inForce = ({ definition, compiled, mode }: StandingVersion): PolicyInForce => ({ definition, compiled, mode });

/**
 * The sets of policies that meet the runs of each namespace: its own and those of the platform (policy.md §2). A set is
 * the same object until one of its policies changes.
 *
 * The budget (policy.md §1.2) goes to the policies of the platform first, then to the oldest: otherwise a tenant could
 * keep a new policy of the platform out with expensive ones of its own.
 */
export class PolicySets {
  readonly #byNamespace = new Map<string, Map<string, Standing>>();
  readonly #platform = new Map<string, Standing>();
  readonly #built = new Map<string, Built>();
  /** For every namespace without policies of its own. */
  #ofPlatform: Built | undefined;

  /** @param standing undefined: the policy is gone or disabled */
  put(namespace: string, name: string, standing: Standing | undefined): void {
    const id = `${namespace}/${name}`;
    const wasPlatform = this.#platform.delete(id);
    const own = this.#byNamespace.get(namespace) ?? new Map<string, Standing>();
    own.delete(name);
    if (standing?.isPlatform === true) this.#platform.set(id, standing);
    else if (standing !== undefined) own.set(name, standing);
    if (own.size === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, own);
    this.#built.delete(namespace);
    if (!wasPlatform && standing?.isPlatform !== true) return;
    // Those of the platform are in every set.
    this.#built.clear();
    this.#ofPlatform = undefined;
  }

  of(namespace: string): PolicySet | undefined {
    return this.#of(namespace).set;
  }

  /** Whether the version in force of a policy is left out because the policies of its namespace cost too much. */
  isRefused(namespace: string, name: string): boolean {
    const isPlatform = this.#platform.has(`${namespace}/${name}`);
    return (isPlatform ? this.#platformBuilt() : this.#of(namespace)).refused.has(`${namespace}/${name}`);
  }

  /** Units of each set that a run asked for since its policies changed. */
  *costUnits(): Iterable<Readonly<Record<Phase, number>>> {
    for (const { set } of [...this.#built.values(), this.#platformBuilt()])
      if (set !== undefined) yield unitsOfSet(set.members.map(({ compiled }) => compiled));
  }

  #of(namespace: string): Built {
    const own = this.#byNamespace.get(namespace);
    if (own === undefined) return this.#platformBuilt();
    const known = this.#built.get(namespace) ?? this.#build([...own.values()]);
    this.#built.set(namespace, known);
    return known;
  }

  #platformBuilt(): Built {
    this.#ofPlatform ??= this.#build([]);
    return this.#ofPlatform;
  }

  #build(own: readonly Standing[]): Built {
    const platform = [...this.#platform.values()].toSorted(byAge);
    const all = [...platform, ...own.toSorted(byAge)];
    if (all.length === 0) return NOTHING;
    const { kept, refused } = withinBudget(all.filter(isVersion));
    return {
      set: policySet(kept.map(inForce), [...all.filter(isWithout), ...refused.map(asMissing)]),
      refused: new Set(refused.map(({ namespace, name }) => `${namespace}/${name}`)),
    };
  }
}
