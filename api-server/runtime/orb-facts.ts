import type { JsonObject } from '../../core/json/json-value.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { orbFacts } from '../../core/policy/facts/build-facts.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';

const DAY_MS = 86_400_000;

interface Built {
  readonly day: number;
  readonly listed: ListedOrb | undefined;
  readonly facts: JsonObject;
}

function factsOf(orb: CompiledOrb, listed: ListedOrb | undefined, now: number): JsonObject {
  const providers = [...orb.providers.values()];
  const hosts = providers.flatMap(({ request: { literalHost } }) => (literalHost === undefined ? [] : [literalHost]));
  return orbFacts(
    {
      orbId: orb.orbId,
      manifestDigest: orb.digest,
      labels: orb.labels,
      irreversible: orb.effect === 'irreversible',
      hosts: [...new Set(hosts)].toSorted(),
      providers: providers.map(({ name }) => name).toSorted(),
      published:
        listed?.manifestDigest === orb.digest
          ? {
              tier: listed.standing.tier,
              score: Math.floor(listed.standing.score),
              confidence: listed.standing.confidence,
              publisherVerified: listed.publisher.verified,
              at: listed.publishedAt,
            }
          : undefined,
    },
    now,
  );
}

/**
 * The facts `orb.*` of each Orb, built once a day and whenever the Orb or what is published of it changes: results of
 * rules are kept by the object (policy.md §1.4).
 */
export class OrbFacts {
  readonly #listed: (orbId: string) => ListedOrb | undefined;
  readonly #built = new WeakMap<CompiledOrb, Built>();

  /** @param listed what is published, in memory */
  constructor(listed: (orbId: string) => ListedOrb | undefined) {
    this.#listed = listed;
  }

  /** @param now ms since epoch */
  of(orb: CompiledOrb, now: number): JsonObject {
    const day = Math.floor(now / DAY_MS);
    const listed = this.#listed(orb.orbId);
    const before = this.#built.get(orb);
    if (before?.day === day && before.listed === listed) return before.facts;
    const facts = factsOf(orb, listed, now);
    this.#built.set(orb, { day, listed, facts });
    return facts;
  }
}
