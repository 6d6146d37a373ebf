import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

/** @throws Failure (64) it is no name of a namespace: it would be a path */
export function namespaceOf(text: string, flag: string): string {
  if (LABEL.test(text)) return text;
  throw usage(`${flag} ${printable(text)}: a name has lower-case letters, digits and "-", at most 63`);
}

/** Name of an object, such as a Secret. @throws Failure (64) */
export function objectName(text: string, flag: string): string {
  if (SUBDOMAIN.test(text)) return text;
  throw usage(`${flag} ${printable(text)}: a name has lower-case letters, digits, "." and "-", at most 253`);
}
