import { KubeError } from '../../adapters/kube/port.ts';
import type { ObjectRef } from '../../core/reconcile/kube-object.ts';
import { invalid } from '../io/failure.ts';

/** One key of a Secret. */
export interface SecretKey {
  readonly ref: Required<ObjectRef>;
  readonly key: string;
}

const OTHER = '--secret NAME writes into another Secret, which the Orbiset then has to bind';

function conflict({ managers }: KubeError, { ref, key }: SecretKey): Error {
  const owners = managers.length === 0 ? 'somebody else' : managers.join(', ');
  return invalid(
    `${key} of the Secret ${ref.namespace}/${ref.name} was written by ${owners}; nothing was changed`,
    '--force replaces its value: its writer may write it again',
    OTHER,
  );
}

function refusedObject({ causes }: KubeError, { ref, key }: SecretKey): Error {
  const { namespace, name } = ref;
  if (causes.includes('FieldValueForbidden'))
    return invalid(
      `the Secret ${namespace}/${name} is immutable; nothing was changed`,
      OTHER,
      `or delete it, with all its other values: kubectl delete secret ${name} -n ${namespace}`,
    );
  if (causes.includes('FieldValueTooLong'))
    return invalid(
      `with ${key} the Secret ${namespace}/${name} would hold more than 1 MiB; nothing was changed`,
      OTHER,
    );
  return invalid(
    `the Kubernetes API refuses ${key} in the Secret ${namespace}/${name} (422 Invalid); nothing was changed`,
    `kubectl describe secret ${name} -n ${namespace}    shows its type: some types take only certain keys`,
    OTHER,
  );
}

/** The API server's refusal of a write of one key, with what to do about it; other errors are returned as they are. */
export function secretRefusal(error: unknown, written: SecretKey): unknown {
  if (!(error instanceof KubeError)) return error;
  if (error.causes.includes('FieldManagerConflict')) return conflict(error, written);
  return error.status === 422 ? refusedObject(error, written) : error;
}
