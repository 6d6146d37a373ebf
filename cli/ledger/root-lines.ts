import { FILES } from '../../adapters/keys/key-folder.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';

/** Keys of a platform in a Secret. */
interface KeysInSecret {
  /** kubectl with flags that name the cluster. */
  readonly kubectl: string;
  readonly namespace: string;
  readonly name: string;
  readonly keys: Pick<PlatformKeys, 'issuer' | 'root'>;
}

const ROOT = FILES.privateKey('root');
const KID_LENGTH = 8;

/** A different name for each root: `root-orbs.example-1a2B3c4D.pem`. */
function fileName({ issuer, root }: KeysInSecret['keys']): string {
  const host = new URL(issuer).host.replaceAll(/[^a-z0-9.-]+/g, '-');
  return `root-${host}-${root.kid.slice(0, KID_LENGTH)}.pem`;
}

/**
 * Two lines for a POSIX shell that move the root's private key out of a Secret. There may be no other copy. So the
 * first overwrites no file, and creates a file only with a key. The second removes the key only when the file holds it
 * byte by byte. Each line may be run again, alone, or after the other failed.
 */
export function rootLines({ kubectl, namespace, name, keys }: KeysInSecret): readonly string[] {
  const file = fileName(keys);
  const secret = `secret ${name} -n ${namespace}`;
  const read = `${kubectl} get ${secret} -o jsonpath='{.data.${ROOT.replace('.', String.raw`\.`)}}'`;
  const remove = `${kubectl} patch ${secret} --type json -p '[{"op":"remove","path":"/data/${ROOT}"}]'`;
  return [
    `(set -C; umask 077; key=$(${read}) && test -n "$key" && printf %s "$key" | base64 -d > ${file})`,
    `test -s ${file} && ${read} | base64 -d | cmp - ${file} && ${remove}`,
  ];
}
