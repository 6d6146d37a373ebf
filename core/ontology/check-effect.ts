import type { Execution, Manifest } from '../../crds/manifest.ts';
import { repeatPolicyOf } from '../attempts/repeat.ts';
import { executionsOf } from '../manifest-rules/executions.ts';
import { childPointer } from '../manifest/child-pointer.ts';
import type { Finding } from '../manifest/finding.ts';
import { effectiveEffect, isWeaker, minimumEffect } from './effective-effect.ts';
import { findingOf } from './finding-of.ts';
import { entryOf, type Ontology } from './ontology.ts';

function understated({ effect, capabilities = [] }: Manifest, ontology: Ontology): readonly Finding[] {
  const minimum = minimumEffect(capabilities, ontology);
  if (effect === undefined || minimum === undefined || !isWeaker(effect, minimum)) return [];
  const names = capabilities.filter((name) => entryOf(ontology.capabilities, name)?.effect === minimum).join(', ');
  const detail = `The effect of ${names} is ${minimum}: write "${minimum}", or remove the capability.`;
  return [findingOf('ontology-effect-understated', { pointer: '/effect', detail, suggestion: minimum })];
}

const methodOf = ({ method, body_template: body }: Execution): string =>
  method ?? (body === undefined ? 'GET' : 'POST');

/** RFC 9110 §9.2.1: such a request is expected to have no effect, and it is repeated freely (failover.md §12.2). */
function unsafeReads(manifest: Manifest): readonly Finding[] {
  return executionsOf(manifest).flatMap(({ pointer, execution }) => {
    const method = methodOf(execution);
    if (method !== 'GET' && method !== 'HEAD') return [];
    const place = execution.method === undefined ? pointer : `${pointer}/method`;
    const detail = `${method} may be repeated at any time: write effect: none when it only reads, or another method.`;
    return [findingOf('ontology-effect-method', { pointer: place, detail })];
  });
}

/** Whether an attempt that was sent is never repeated, neither there nor at another provider. */
function isSentOnce(execution: Execution): boolean {
  const { idempotent = false, idempotency_header: idempotencyHeader } = execution;
  const { anywhere } = repeatPolicyOf({ method: methodOf(execution), idempotent, idempotencyHeader });
  return !anywhere && idempotencyHeader === undefined;
}

function unusedFailover(manifest: Manifest): readonly Finding[] {
  const { provider, providers = {}, swap_config: swap, execution } = manifest;
  const { primary = provider, fallbacks = [] } = swap ?? {};
  if (fallbacks.length === 0) return [];
  const executions = [primary, ...fallbacks].flatMap((name) => {
    const own = name === provider ? { pointer: '/execution', execution } : undefined;
    const other = entryOf(providers, name);
    const pointer = `${childPointer('/providers', name)}/execution`;
    return own ?? (other === undefined ? [] : [{ pointer, execution: other.execution }]);
  });
  const once = executions.filter((place) => isSentOnce(place.execution)).map(({ pointer }) => pointer);
  if (once.length === 0) return [];
  const detail = `After a request was sent, no other provider is tried, because it may have had its effect. If sending it twice does no harm, write idempotent or idempotency_header in ${once.join(' and ')}.`;
  return [findingOf('ontology-failover-unused', { pointer: '/swap_config/fallbacks', detail })];
}

/**
 * Checks the effect (trust.md §8.2): `ontology-effect-understated`, `ontology-effect-method`,
 * `ontology-failover-unused`.
 */
export function checkEffect(manifest: Manifest, ontology: Ontology): readonly Finding[] {
  const hasEffect = effectiveEffect(manifest, ontology) !== 'none';
  return [
    ...understated(manifest, ontology),
    ...(hasEffect ? [...unsafeReads(manifest), ...unusedFailover(manifest)] : []),
  ];
}
