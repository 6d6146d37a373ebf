import type { Catalog, OrbEntry } from '../../../adapters/catalog/port.ts';
import type { Target } from '../../../core/ingestion/incidents/match-entity.ts';
import type { Member } from '../../../core/ingestion/incidents/episodes.ts';
import { parseOrbId, type OrbId } from '../../../core/manifest/orb-id.ts';
import { effectiveProvider } from '../../../core/orb/effective-provider.ts';
import type { PublishedVersions } from '../../../core/run/published.ts';
import type { MappingOrbs } from './mapping-orbs.ts';

export interface KnownOrbsDeps {
  readonly catalog: Pick<Catalog, 'orb' | 'orbisets' | 'all'>;
  readonly published: Pick<PublishedVersions, 'version'>;
  readonly platformNamespace: string;
}

/** What the catalogue says about the targets of signals (ingestion.md §4). */
export class KnownOrbs implements MappingOrbs {
  readonly #deps: KnownOrbsDeps;

  constructor(deps: KnownOrbsDeps) {
    this.#deps = deps;
  }

  /** The Orb that an id names for a namespace: its own, else that of a publication, else that of the platform. */
  find(namespace: string, id: string): OrbEntry | undefined {
    const parsed = parseOrbId(id);
    if (!parsed.ok) return undefined;
    const { catalog, published, platformNamespace } = this.#deps;
    const own = catalog.orb(namespace, parsed.value);
    if (own !== undefined) return own;
    const version = published.version(parsed.value);
    const shared = version === undefined ? undefined : catalog.orb(version.namespace, parsed.value);
    return shared ?? catalog.orb(platformNamespace, parsed.value);
  }

  /** The catalogue is in memory. */
  learn(): undefined {}

  isKnown(namespace: string, id: string): boolean {
    return this.find(namespace, id) !== undefined;
  }

  running(namespace: string, name: string): readonly OrbId[] {
    const { catalog } = this.#deps;
    const own = [...catalog.all()].filter((entry) => entry.namespace === namespace).map(({ orbId }) => orbId);
    const listed = catalog.orbisets(namespace).flatMap(({ orbs }) => orbs);
    const ids = listed.flatMap((id) => {
      const parsed = parseOrbId(id);
      return parsed.ok ? [parsed.value] : [];
    });
    return [...new Set([...own, ...ids])].filter((id) => id.startsWith(`${name}@`));
  }

  hostOf(namespace: string, target: Target | null, now: number): string | null {
    if (target?.kind === 'provider') return target.host;
    if (target?.kind !== 'orb') return null;
    const compiled = this.find(namespace, target.orb)?.compiled;
    if (compiled === undefined) return null;
    const provider = compiled.providers.get(effectiveProvider(compiled, { now }) ?? '');
    return provider?.request.literalHost ?? null;
  }

  monitorOf(namespace: string, target: Target): Member['monitor'] {
    const { published, platformNamespace } = this.#deps;
    if (namespace === platformNamespace) return 'platform';
    const version = target.kind === 'orb' ? published.version(target.orb) : undefined;
    return version?.namespace === namespace ? 'publisher' : 'consumer';
  }
}
