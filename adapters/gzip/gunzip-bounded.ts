import { gunzip } from 'node:zlib';
import { errorCode } from '../../core/errors/error-code.ts';

export type Unzipped =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  /** No gzip, or cut off. */
  | { readonly kind: 'malformed' };

/** Decodes in a thread of libuv, and stops at `maxBytes`: a small body can't fill the memory, nor hold the event loop. */
export const gunzipBounded = (bytes: Uint8Array, maxBytes: number): Promise<Unzipped> =>
  new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: maxBytes }, (error, decoded) => {
      if (error === null) resolve({ kind: 'bytes', bytes: decoded });
      else resolve({ kind: errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'malformed' });
    });
  });
