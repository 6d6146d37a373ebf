import type { CompiledSource } from '../../core/ingestion/source/compile-source.ts';
import type { SecretFault } from '../../core/ingestion/source/receiving-status.ts';
import { secretBytes } from '../../core/ingestion/verification/delivery.ts';
import { secretProblem } from '../../core/ingestion/verification/verify-delivery.ts';
import type { BoundSecret } from '../vault/secret-watch.ts';
import type { SourceSecrets } from './source.ts';

/** The first secret of a source that can't be used. */
export interface UnusableSecret {
  /** `unread`: no answer has come yet. */
  readonly fault: SecretFault | 'unread';
  readonly secret: string;
  readonly key: string;
}

export interface ReadSecrets {
  readonly secrets: SourceSecrets;
  /** Undefined: all can be used. */
  readonly unusable: UnusableSecret | undefined;
}

type Value = { readonly bytes: Uint8Array } | { readonly fault: UnusableSecret['fault'] };

function valueOf(bound: BoundSecret, key: string, scheme: CompiledSource['scheme']): Value {
  if (bound.kind !== 'found') return { fault: bound.kind };
  const stored = bound.values.read().get(key);
  if (stored === undefined) return { fault: 'key-missing' };
  const fault = secretProblem(scheme, stored);
  if (fault !== undefined) return { fault };
  const bytes = secretBytes(stored);
  // A copy: the original is overwritten when the Secret changes, and zeros are a key that anybody knows.
  return bytes === undefined ? { fault: 'empty' } : { bytes: Uint8Array.from(bytes) };
}

/**
 * The values of the secrets of a source. With one that can't be used none are given: its vendor may sign with just that
 * one, and must then be told to send again later.
 * @param read the present state of a Secret in the namespace of the source
 */
export function readSecrets(
  { secretRefs, scheme }: Pick<CompiledSource, 'secretRefs' | 'scheme'>,
  read: (secret: string) => BoundSecret,
): ReadSecrets {
  const values: Uint8Array[] = [];
  for (const { name, key } of secretRefs) {
    const value = valueOf(read(name), key, scheme);
    if ('fault' in value) {
      const named = { secret: name, key };
      return { secrets: { kind: 'unreadable', ...named }, unusable: { ...named, fault: value.fault } };
    }
    values.push(value.bytes);
  }
  return { secrets: { kind: 'readable', values }, unusable: undefined };
}
