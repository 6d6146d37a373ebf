import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { checkDocument, type Resource } from '../../core/manifest/documents.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import type { Ledger } from '../ledger/port.ts';

export type OrbisetDocument = Extract<Resource, { kind: 'Orbiset' }>;

/** What an Orbiset said when it was valid last, and where. */
export interface LastOrbiset {
  readonly document: OrbisetDocument;
  /** Standalone: name of the file that it stood in. */
  readonly file?: string;
  /** On a cluster: another object of the same name has another past. */
  readonly uid?: string;
}

// What an Orbiset said when it was last read: a suspension must not end because it broke and we started again.
const STATE_KIND = 'valid-orbiset';

function parseDocument(document: JsonValue | undefined): OrbisetDocument | undefined {
  if (!isJsonObject(document)) return undefined;
  const { namespace, name, spec } = document;
  const metadata = { name: name ?? '', namespace: namespace ?? '' };
  const checked = checkDocument({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orbiset', metadata, spec: spec ?? {} });
  return checked.ok && checked.value.kind === 'Orbiset' ? checked.value : undefined;
}

function parseState(json: string): LastOrbiset | undefined {
  const state = readJson(Buffer.from(json));
  if (!state.ok || !isJsonObject(state.value)) return undefined;
  const { file, uid } = state.value;
  const document = parseDocument(state.value['document']);
  if (document === undefined) return undefined;
  return {
    document,
    ...(typeof file === 'string' ? { file } : {}),
    ...(typeof uid === 'string' ? { uid } : {}),
  };
}

/** The last valid Orbisets of one process, kept in the ledger for its next start. Keys: `namespace.name`. */
export class LastOrbisets {
  readonly #ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>;
  readonly #known = new Map<string, LastOrbiset>();

  constructor(ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>) {
    this.#ledger = ledger;
  }

  /** Reads what earlier starts left; every later change is this object's own. */
  async open(): Promise<void> {
    for (const { key, json } of await this.#ledger.states(STATE_KIND)) {
      const state = parseState(json);
      if (state !== undefined) this.#known.set(key, state);
    }
  }

  get all(): ReadonlyMap<string, LastOrbiset> {
    return this.#known;
  }

  /** Durable when it returns; what is kept already costs nothing. */
  async keep(key: string, state: LastOrbiset): Promise<void> {
    const before = this.#known.get(key);
    const json = JSON.stringify(state);
    if (before !== undefined && JSON.stringify(before) === json) return;
    await this.#ledger.putState(STATE_KIND, key, json);
    this.#known.set(key, state);
  }

  async forget(key: string): Promise<void> {
    if (!this.#known.has(key)) return;
    await this.#ledger.deleteState(STATE_KIND, key);
    this.#known.delete(key);
  }
}
