import { isLabelName, isObjectName } from '../../core/reconcile/kube-name.ts';
import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/** @throws Failure (64) it is not a valid name of a namespace, and could be a path */
export function namespaceOf(text: string, flag: string): string {
  if (isLabelName(text)) return text;
  throw usage(`${flag} ${printable(text)}: a name has lower-case letters, digits and "-", at most 63`);
}

/** Name of an object, such as a Secret. @throws Failure (64) */
export function objectName(text: string, flag: string): string {
  if (isObjectName(text)) return text;
  throw usage(`${flag} ${printable(text)}: a name has lower-case letters, digits, "." and "-", at most 253`);
}
