import type { Manifest } from '../../crds/manifest.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';

interface Named {
  readonly name: string;
  readonly pointer: string;
}

function duplicates(primary: string, fallbacks: readonly Named[]): readonly Finding[] {
  const before = new Set([primary]);
  return fallbacks.flatMap(({ name, pointer }): readonly Finding[] => {
    const isNew = !before.has(name);
    before.add(name);
    const detail = `"${name}" is the primary or already listed; name each provider once.`;
    return isNew ? [] : [{ code: 'manifest-fallback-duplicate', pointer, detail, severity: 'error' }];
  });
}

/** Message for a provider that is named but has no execution; findings, conditions and refusals share it. */
export const explainUndefined = (name: string): string =>
  `"${name}" has no execution, so it is never chosen; add ${childPointer('/providers', name)}/execution.`;

function undefinedNames(manifest: Manifest, named: readonly Named[]): readonly Finding[] {
  const providers = manifest.providers ?? {};
  return named
    .filter(({ name }) => name !== manifest.provider && !Object.hasOwn(providers, name))
    .map(({ name, pointer }) => {
      const detail = explainUndefined(name);
      return { code: 'manifest-provider-undefined', pointer, detail, severity: 'warning' };
    });
}

function shadowed({ provider, providers = {} }: Manifest): readonly Finding[] {
  if (!Object.hasOwn(providers, provider)) return [];
  const detail = 'The execution of the manifest belongs to this provider; this one is never used, remove it.';
  return [
    { code: 'manifest-provider-shadowed', pointer: childPointer('/providers', provider), detail, severity: 'warning' },
  ];
}

/**
 * Checks the names of providers: `manifest-fallback-duplicate`, `manifest-provider-undefined`,
 * `manifest-provider-shadowed`.
 */
export function checkProviders(manifest: Manifest): readonly Finding[] {
  const { primary, fallbacks = [] } = manifest.swap_config ?? {};
  const named = fallbacks.map((name, index) => ({ name, pointer: `/swap_config/fallbacks/${index}` }));
  const first = primary === undefined ? [] : [{ name: primary, pointer: '/swap_config/primary' }];
  return [
    ...duplicates(primary ?? manifest.provider, named),
    ...undefinedNames(manifest, [...first, ...named]),
    ...shadowed(manifest),
  ];
}
