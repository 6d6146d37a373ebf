import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';

function parsed(entry: string): JsonObject {
  try {
    const value: unknown = JSON.parse(entry);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // the log accepts any text; only entries in its own form count here
  }
}

/** Manifests that have a `publish` entry. Each swap needs this, so the log is not searched for it. */
export class PublishedRows {
  readonly #put: StatementSync;

  constructor(db: DatabaseSync) {
    this.#put = db.prepare('INSERT INTO published(orb_id, manifest_digest) VALUES (?, ?) ON CONFLICT DO NOTHING');
  }

  /** Must be called with each appended entry, inside its transaction. */
  note(entries: readonly string[]): void {
    for (const entry of entries) {
      const { kind, orb_id: orbId, manifest_digest: digest } = parsed(entry);
      if (kind === 'publish' && typeof orbId === 'string' && typeof digest === 'string') this.#put.run(orbId, digest);
    }
  }
}
