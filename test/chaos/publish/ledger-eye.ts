import { DatabaseSync } from 'node:sqlite';
import { readEntry, type LogEntry } from '../../../core/log-entry/entry.ts';

/** The newest entries of a ledger, read from its file while a platform writes it, or after it was killed. */
export interface LedgerEye {
  /** Number of entries. */
  readonly size: () => number;
  /** Entries from an index on. */
  readonly entries: (from: number) => readonly LogEntry[];
  /** Whether the view of a version was noted as written. */
  readonly isProjected: (orbId: string) => boolean;
  readonly close: () => void;
}

/**
 * Opens the file beside the platform that uses it. It serves to choose the moment of a kill and to name the step that
 * was hit, and for nothing else: what holds afterwards is read from the public routes.
 */
export function openLedgerEye(file: string): LedgerEye {
  const db = new DatabaseSync(file, { readOnly: true });
  const size = db.prepare('SELECT coalesce(max(idx), -1) + 1 AS size FROM log_entries');
  const entries = db.prepare('SELECT CAST(entry AS TEXT) AS text FROM log_entries WHERE idx >= ? ORDER BY idx');
  const projected = db.prepare('SELECT projected FROM publications WHERE orb_id = ?');
  return {
    size: () => Number(size.get()?.['size'] ?? 0),
    entries: (from) => entries.all(from).flatMap(({ text }) => readEntry(String(text)) ?? []),
    isProjected: (orbId) => projected.get(orbId)?.['projected'] === 1,
    close: () => db.close(),
  };
}
