import { gunzipSync, gzipSync } from 'node:zlib';
import type { Gunzip, Gzip } from '../../core/certificate/status-list.ts';

/** 16 KiB of a status list in about 0.2 ms. */
export const gzip: Gzip = (bytes) => gzipSync(bytes, { level: 9 });

/** Stops at `maxBytes`, so that a small file can't fill the memory. */
export const gunzip: Gunzip = (bytes, maxBytes) => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return undefined; // not gzip, or too long
  }
};
