import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';

function parsed(entry: string): JsonObject {
  try {
    const value: unknown = JSON.parse(entry);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // the log takes any text; only entries of its own form say something here
  }
}

/** Which manifests have a `publish` entry: asked for each swap, so not searched for in the log. */
export class PublishedRows {
  readonly #put: StatementSync;

  constructor(db: DatabaseSync) {
    this.#put = db.prepare('INSERT INTO published(orb_id, manifest_digest) VALUES (?, ?) ON CONFLICT DO NOTHING');
  }

  /** To be told of each appended entry, inside its transaction. */
  note(entries: readonly string[]): void {
    for (const entry of entries) {
      const { kind, orb_id: orbId, manifest_digest: digest } = parsed(entry);
      if (kind === 'publish' && typeof orbId === 'string' && typeof digest === 'string') this.#put.run(orbId, digest);
    }
  }
}
