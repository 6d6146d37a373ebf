import type { Ledger, PolicyVersion } from '../../adapters/ledger/port.ts';
import type { LogFields, Logger } from '../../adapters/telemetry/port.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { readJson } from '../../core/manifest/read-json.ts';

/** What the ledger does for versions of policies. */
export type VersionLedger = Pick<Ledger, 'putPolicyVersion' | 'dropPolicyInForce' | 'policiesInForce' | 'replayTotals'>;

/** Whether two rows are of the same version. The time of taking it over does not count. */
const isSame = (one: PolicyVersion, other: PolicyVersion): boolean =>
  JSON.stringify({ ...one, at: 0 }) === JSON.stringify({ ...other, at: 0 });

/** The spec of a version that this program wrote into the ledger. */
export function specOfVersion({ spec }: Pick<PolicyVersion, 'spec'>): JsonValue {
  const read = readJson(Buffer.from(spec));
  return read.ok && isJsonObject(read.value) ? read.value : null;
}

/**
 * The versions in force, in memory as in the ledger: a policy stays in force when a later generation is refused, also
 * after a restart. Calls for one policy must not overlap. Keys: `namespace/name`.
 */
export class KeptVersions {
  readonly #ledger: VersionLedger;
  readonly #logger: Pick<Logger, 'info' | 'flush'>;
  readonly #kept = new Map<string, PolicyVersion>();
  /** The last line of each policy: it is not repeated while the ledger is away. */
  readonly #said = new Map<string, string>();

  constructor(ledger: VersionLedger, logger: Pick<Logger, 'info' | 'flush'>) {
    this.#ledger = ledger;
    this.#logger = logger;
  }

  /** Reads the rows of earlier starts. Later changes come only from this object. */
  async open(): Promise<void> {
    for (const version of await this.#ledger.policiesInForce())
      this.#kept.set(`${version.namespace}/${version.name}`, version);
  }

  get all(): ReadonlyMap<string, PolicyVersion> {
    return this.#kept;
  }

  /** Durable when it returns. Keeping an unchanged version writes no row. */
  async keep(key: string, version: PolicyVersion): Promise<void> {
    const before = this.#kept.get(key);
    if (before !== undefined && isSame(before, version)) return;
    const { digest, generation, mode, by } = version;
    this.#say('a version of a policy takes force', { policy: key, policy_digest: digest, generation, mode, by });
    await this.#ledger.putPolicyVersion(version, { inForce: true });
    this.#kept.set(key, version);
  }

  async drop(key: string): Promise<void> {
    const before = this.#kept.get(key);
    if (before === undefined) return;
    this.#say('a policy is not in force any more', { policy: key, policy_digest: before.digest });
    await this.#ledger.dropPolicyInForce(before.namespace, before.name);
    this.#kept.delete(key);
  }

  /** Before the row is written: a change that a kill cuts short is said again by the next process, and never missing. */
  #say(message: string, fields: LogFields & { readonly policy: string }): void {
    const line = JSON.stringify([message, fields]);
    if (this.#said.get(fields.policy) === line) return;
    this.#said.set(fields.policy, line);
    this.#logger.info(message, fields);
    void this.#logger.flush();
  }
}
