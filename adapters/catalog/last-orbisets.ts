import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { checkDocument, type Resource } from '../../core/manifest/documents.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import type { Ledger } from '../ledger/port.ts';

type OrbisetDocument = Extract<Resource, { kind: 'Orbiset' }>;

/** The content of an Orbiset when it was last valid. */
export interface LastOrbiset {
  readonly document: OrbisetDocument;
  /** A different object of the same name does not inherit this state. */
  readonly uid?: string;
}

// Content of Orbisets when they were last valid. A suspension must not end because the Orbiset broke and the process
// restarted.
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
  const { uid } = state.value;
  const document = parseDocument(state.value['document']);
  if (document === undefined) return undefined;
  return {
    document,
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

  /** Reads the rows of earlier starts. Later changes come only from this object. */
  async open(): Promise<void> {
    for (const { key, json } of await this.#ledger.states(STATE_KIND)) {
      const state = parseState(json);
      if (state !== undefined) this.#known.set(key, state);
    }
  }

  get all(): ReadonlyMap<string, LastOrbiset> {
    return this.#known;
  }

  /** Durable when it returns. Keeping an unchanged state writes no row. */
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
