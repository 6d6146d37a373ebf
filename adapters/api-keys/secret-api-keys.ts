import { parseApiKeyRecord, type ApiKeyRecord } from '../../core/api-key/record.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { Logger } from '../telemetry/port.ts';
import { KeyRing, type KeyRingDeps } from './key-ring.ts';

export interface SecretApiKeysDeps extends KeyRingDeps {
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * The API keys of labelled Secrets; a watcher of Secrets feeds them. A change is in effect when `put` or `remove`
 * returns. A Secret without a usable key is ignored.
 */
export class SecretApiKeys {
  readonly #deps: SecretApiKeysDeps;
  readonly #ring: KeyRing;
  readonly #records = new Map<string, ApiKeyRecord>();

  constructor(deps: SecretApiKeysDeps) {
    this.#deps = deps;
    this.#ring = new KeyRing(deps);
    this.authenticate = this.#ring.authenticate;
    this.keys = this.#ring.keys;
  }

  readonly authenticate: KeyRing['authenticate'];
  readonly keys: KeyRing['keys'];

  /** @param secret as the API server sends it; kind and version may be left out, as in a LIST */
  put(name: string, secret: unknown): void {
    const document = isJsonObject(secret) ? { ...secret, apiVersion: 'v1', kind: 'Secret' } : null;
    const checked = parseApiKeyRecord(document);
    if (checked.ok) this.#records.set(name, checked.value);
    else {
      this.#records.delete(name);
      const detail = checked.findings.map((finding) => `${finding.pointer}: ${finding.detail}`).join(' ');
      this.#deps.logger.warn('a Secret with the label of API keys holds no key', { secret: name, detail });
    }
    this.#refresh();
  }

  remove(name: string): void {
    if (this.#records.delete(name)) this.#refresh();
  }

  #refresh(): void {
    this.#ring.replace([...this.#records].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record));
  }
}
