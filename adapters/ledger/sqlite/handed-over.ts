import type { Transferable } from 'node:worker_threads';
import { isWhole } from '../../memory/free-bytes.ts';
import type { WriteRow } from '../tables/tables.ts';

/** Shorter bytes are copied: that costs less than handing them over. */
const LEAST_BYTES = 16_384;

const bytesOf = (row: WriteRow): readonly unknown[] => {
  if (row[0] === 'acceptDelivery') return [row[8]];
  return row[0] === 'applyDeliveries' ? row[3] : [];
};

/**
 * Memory of rows that the writer's thread takes over in place of a copy: bodies of deliveries, and their effects. Copies
 * would be 200 KB of garbage for each delivery, outside of the heap, and make V8 collect it while runs wait.
 */
export const handedOver = (rows: readonly WriteRow[]): readonly Transferable[] => [
  ...new Set(
    rows
      .flatMap(bytesOf)
      .flatMap((bytes) =>
        bytes instanceof Uint8Array &&
        bytes.buffer instanceof ArrayBuffer &&
        bytes.length >= LEAST_BYTES &&
        isWhole(bytes)
          ? [bytes.buffer]
          : [],
      ),
  ),
];
