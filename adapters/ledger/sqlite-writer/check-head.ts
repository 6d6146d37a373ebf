import type { DatabaseSync } from 'node:sqlite';
import { leafHash } from '../../../core/merkle/hash.ts';
import type { NodeReader } from '../../../core/merkle/proof.ts';
import { rootOf } from '../../../core/merkle/tree.ts';
import { sha256 } from '../../keys/primitives.ts';
import { LedgerError } from '../port.ts';
import { edgeOf } from '../sqlite/tiles.ts';
import { newestCheckpoint } from '../tables/checkpoints.ts';
import { lastEntry, logHead, storedNodes } from '../tables/log.ts';

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

function lastEntryFits(db: DatabaseSync, size: number, node: NodeReader): boolean {
  const last = lastEntry(db);
  if (last === undefined || size === 0) return last === undefined && size === 0;
  return last.index === size - 1 && same(leafHash(last.entry, sha256), node(0, size - 1));
}

function newestCheckpointFits(db: DatabaseSync, size: number, node: NodeReader): boolean {
  const newest = newestCheckpoint(db);
  if (newest === undefined) return true;
  const [, sizeLine, rootLine] = newest.note.split('\n');
  if (newest.size > size || sizeLine !== String(newest.size)) return false;
  return rootLine === Buffer.from(rootOf(edgeOf(newest.size, node), sha256)).toString('base64');
}

/**
 * Cheap test at the start that head, tiles, last entry and newest checkpoint belong to one tree. It takes a few reads,
 * however large the log is. It finds a file that was put together from two files. It does not find a changed old entry,
 * which takes a pass over the whole log (`checkLog` in the tests, later `orb log verify`).
 * @throws LedgerError `ledger-unavailable`: the writer must not sign a log that it can't vouch for
 */
export function checkHead(db: DatabaseSync): void {
  const { size, edge: stored } = logHead(db);
  const node = storedNodes(db)();
  try {
    const edge = Buffer.concat(edgeOf(size, node));
    if (!same(edge, stored)) throw new RangeError('its edge differs from its tiles');
    if (!lastEntryFits(db, size, node)) throw new RangeError('its last entry differs from its head');
    if (!newestCheckpointFits(db, size, node)) throw new RangeError('its newest checkpoint is of another tree');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new LedgerError('ledger-unavailable', `the log of this ledger contradicts itself: ${error.message}`, {
      cause: error,
    });
  }
}
