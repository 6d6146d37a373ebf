import type { CompiledOrb, CompiledProvider } from './compiled-orb.ts';

/** A vault entry that a request of an Orb may carry in its URL. */
export interface UrlSecret {
  readonly entry: string;
  /** Host of the URL without port, as `hostAllowed` takes it; undefined when labels of the host come from secrets. */
  readonly host: string | undefined;
}

const requestsOf = ({ request, probe }: CompiledProvider): ReadonlySet<CompiledProvider['request']> =>
  new Set(probe === undefined ? [request] : [request, probe.request]);

/**
 * Entries in the URLs of runs and probes of a version, of all its providers (security.md S2). May hold a pair twice.
 */
export const urlSecretsOf = ({ providers }: Pick<CompiledOrb, 'providers'>): readonly UrlSecret[] =>
  [...providers.values()]
    .flatMap((provider) => [...requestsOf(provider)])
    .flatMap(({ secretsInUrl, literalHost: host }) => secretsInUrl.map((entry) => ({ entry, host })));
