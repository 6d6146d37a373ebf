import type { Member } from '../../../core/ingestion/incidents/episodes.ts';
import type { Target } from '../../../core/ingestion/incidents/match-entity.ts';
import type { MappingOrbs } from '../worker/mapping-orbs.ts';

/** What the thread asks about a namespace: facts of Orbs by their ids, and the versions that run by `org.name`. */
export interface OrbQuestion {
  readonly namespace: string;
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

/** What the catalogue says about an id. */
export interface OrbFacts {
  readonly isKnown: boolean;
  readonly host: string | null;
  readonly monitor: Member['monitor'];
}

/** In the order of the question. */
export interface OrbAnswer {
  readonly orbs: readonly OrbFacts[];
  readonly running: readonly (readonly string[])[];
}

/** Answers on the thread that has the catalogue. @param now ms since epoch */
export const answerAbout = (
  { namespace, ids, names }: OrbQuestion,
  orbs: Omit<MappingOrbs, 'learn'>,
  now: number,
): OrbAnswer => ({
  orbs: ids.map((orb): OrbFacts => {
    const target: Target = { kind: 'orb', orb };
    const host = orbs.hostOf(namespace, target, now);
    return { isKnown: orbs.isKnown(namespace, orb), host, monitor: orbs.monitorOf(namespace, target) };
  }),
  running: names.map((name) => orbs.running(namespace, name)),
});

export interface AskedOrbsDeps {
  readonly platformNamespace: string;
  readonly ask: (question: OrbQuestion) => Promise<OrbAnswer>;
}

/** What the catalogue says about Orbs, in a thread that does not have it: each fact is asked for once. */
export class AskedOrbs implements MappingOrbs {
  readonly #deps: AskedOrbsDeps;
  readonly #facts = new Map<string, OrbFacts>();
  readonly #running = new Map<string, readonly string[]>();

  constructor(deps: AskedOrbsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#facts.size + this.#running.size;
  }

  forget(): void {
    this.#facts.clear();
    this.#running.clear();
  }

  learn(namespace: string, ids: readonly string[], names: readonly string[] = []): Promise<void> | undefined {
    const missing = {
      ids: [...new Set(ids)].filter((id) => !this.#facts.has(`${namespace}\n${id}`)),
      names: names.filter((name) => !this.#running.has(`${namespace}\n${name}`)),
    };
    return missing.ids.length + missing.names.length === 0 ? undefined : this.#ask({ namespace, ...missing });
  }

  isKnown(namespace: string, id: string): boolean {
    return this.#of(namespace, id).isKnown;
  }

  running(namespace: string, name: string): readonly string[] {
    return this.#running.get(`${namespace}\n${name}`) ?? unasked(name);
  }

  hostOf(namespace: string, target: Target | null): string | null {
    if (target?.kind === 'provider') return target.host;
    return target?.kind === 'orb' ? this.#of(namespace, target.orb).host : null;
  }

  monitorOf(namespace: string, target: Target): Member['monitor'] {
    if (target.kind === 'orb') return this.#of(namespace, target.orb).monitor;
    return namespace === this.#deps.platformNamespace ? 'platform' : 'consumer';
  }

  #of(namespace: string, id: string): OrbFacts {
    return this.#facts.get(`${namespace}\n${id}`) ?? unasked(id);
  }

  async #ask(question: OrbQuestion): Promise<void> {
    const { namespace, ids, names } = question;
    const { orbs, running } = await this.#deps.ask(question);
    for (const [at, id] of ids.entries()) put(this.#facts, `${namespace}\n${id}`, orbs[at]);
    for (const [at, name] of names.entries()) put(this.#running, `${namespace}\n${name}`, running[at]);
  }
}

function put<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value !== undefined) map.set(key, value);
}

/** @throws TypeError a bug: a fact is used that was not asked for */
function unasked(what: string): never {
  throw new TypeError(`the catalogue was not asked about ${what}`);
}
