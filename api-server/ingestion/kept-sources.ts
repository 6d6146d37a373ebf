import type { Ledger } from '../../adapters/ledger/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { judgeSource } from '../../core/ingestion/source/judge-source.ts';
import type { CompiledSource } from '../../core/ingestion/source/compile-source.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

/** What the ledger does for the sources in force. */
export type SourceLedger = Pick<Ledger, 'states' | 'putState' | 'deleteState'>;

// Specs of sources when they were last valid: a broken edit must not end receiving after a restart.
const STATE_KIND = 'signal-source';

/** The generation of a source that receives, as the ledger has it. */
export interface KeptSource {
  /** Another object of the same name does not inherit it. */
  readonly uid: string;
  readonly generation: number;
  readonly spec: unknown;
}

function parsed(json: string): KeptSource | undefined {
  const read = readJson(Buffer.from(json));
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const { uid, generation, spec } = read.value;
  return typeof uid === 'string' && typeof generation === 'number' ? { uid, generation, spec } : undefined;
}

/** Compiles a kept generation. @returns undefined when this program can't: an older one allowed something else */
export function restoredSource(
  key: string,
  { uid, generation, spec }: KeptSource,
  platformNamespace: string,
): CompiledSource | undefined {
  const slash = key.indexOf('/');
  const metadata = { namespace: key.slice(0, slash), name: key.slice(slash + 1), uid, generation };
  const object: KubeObject = { apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata, spec };
  const judged = judgeSource(object, platformNamespace);
  return judged.kind === 'accepted' ? judged.source : undefined;
}

/** The generations that receive, in memory as in the ledger. Calls for one source must not overlap. Keys: `namespace/name`. */
export class KeptSources {
  readonly #ledger: SourceLedger;
  readonly #kept = new Map<string, KeptSource>();

  constructor(ledger: SourceLedger) {
    this.#ledger = ledger;
  }

  /** Reads the rows of earlier starts. Later changes come only from this object. @throws LedgerError */
  async open(): Promise<void> {
    for (const { key, json } of await this.#ledger.states(STATE_KIND)) {
      const source = parsed(json);
      if (source !== undefined) this.#kept.set(key, source);
    }
  }

  get all(): ReadonlyMap<string, KeptSource> {
    return this.#kept;
  }

  /** Durable when it returns. Keeping an unchanged generation writes no row. @throws LedgerError */
  async keep(key: string, source: KeptSource): Promise<void> {
    const json = JSON.stringify(source);
    if (JSON.stringify(this.#kept.get(key)) === json) return;
    await this.#ledger.putState(STATE_KIND, key, json);
    this.#kept.set(key, source);
  }

  /** @throws LedgerError */
  async drop(key: string): Promise<void> {
    if (!this.#kept.has(key)) return;
    await this.#ledger.deleteState(STATE_KIND, key);
    this.#kept.delete(key);
  }
}
