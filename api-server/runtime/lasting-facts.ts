import type { Caller } from '../../core/api-key/caller.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { callerFacts, orbisetFacts } from '../../core/policy/facts/build-facts.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import { OrbFacts } from './orb-facts.ts';

interface BuiltCaller {
  readonly id: string;
  readonly tenant: string;
  readonly groups: readonly string[];
  readonly facts: JsonObject;
}

const NO_GROUPS: readonly string[] = [];

function factsOf({ id, scopes, groups = NO_GROUPS }: Caller, tenant: string): BuiltCaller {
  const kind = id.startsWith('sa:') ? 'service_account' : 'api_key';
  const facts = callerFacts({ kind, id, tenant, scopes: [...scopes].toSorted(), groups });
  return { id, tenant, groups, facts };
}

/**
 * Facts that outlive a run: each is built once and is the same object for all runs, so that its text is made once
 * (policy.md §1.4).
 */
export class LastingFacts {
  readonly #orbs: OrbFacts;
  /** By the set of scopes, which a key keeps as long as it does not change. */
  readonly #callers = new WeakMap<Caller['scopes'], BuiltCaller>();
  readonly #orbisets = new WeakMap<CompiledOrbiset, JsonObject>();

  /** @param listed what is published, in memory */
  constructor(listed: (orbId: string) => ListedOrb | undefined) {
    this.#orbs = new OrbFacts(listed);
  }

  /** @param now ms since epoch */
  orb(orb: CompiledOrb, now: number): JsonObject {
    return this.#orbs.of(orb, now);
  }

  /** @param tenant namespace of the Orbiset */
  caller(caller: Caller | undefined, tenant: string): JsonObject {
    if (caller === undefined)
      return callerFacts({ kind: 'anonymous', id: 'anonymous', tenant, scopes: [], groups: [] });
    const kept = this.#callers.get(caller.scopes);
    if (kept?.id === caller.id && kept.tenant === tenant && kept.groups === (caller.groups ?? NO_GROUPS))
      return kept.facts;
    const built = factsOf(caller, tenant);
    this.#callers.set(caller.scopes, built);
    return built.facts;
  }

  orbiset(orbiset: CompiledOrbiset): JsonObject {
    const kept = this.#orbisets.get(orbiset);
    if (kept !== undefined) return kept;
    const { namespace, name, labels } = orbiset;
    const built = orbisetFacts({ namespace, name, labels });
    this.#orbisets.set(orbiset, built);
    return built;
  }
}
