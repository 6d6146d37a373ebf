import { hash } from 'node:crypto';
import { isDigest, type Digest } from '../json/digest.ts';

/**
 * SHA-256 of the UTF-8 bytes of a text. The digest of a manifest is taken over `jcs(manifest)`: the manifest as it was
 * sent, without `pin` and without defaults filled in (trust.md §1.1).
 * @param text well formed; a lone surrogate would be hashed as U+FFFD, so `jcs` refuses it
 */
export function digestOfText(text: string): Digest {
  const digest = `sha256:${hash('sha256', text)}`;
  if (!isDigest(digest)) throw new TypeError('SHA-256 is 64 hexadecimal digits');
  return digest;
}
