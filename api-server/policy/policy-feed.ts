import type { PolicyVersion, StoredTotals } from '../../adapters/ledger/port.ts';
import { KeyedQueue } from '../../adapters/object-store/keyed-queue.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { createdAtOf } from '../../core/orb/plan-holder.ts';
import type { PolicyDefinition } from '../../core/policy/document/definition.ts';
import type { CompiledPolicy, PolicyEngine } from '../../core/policy/language/port.ts';
import { effectiveMode } from '../../core/policy/simulation/gate.ts';
import { judgePolicySteps, type AcceptedPolicy, type RefusedPolicy } from '../../core/policy/status/judge-policy.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import { inSlices } from '../http/in-slices.ts';
import { KeptVersions, type VersionLedger } from './kept-versions.ts';
import { wantedAfter, wantedOf, type Wanted } from './missing-policy.ts';
import type { Standing } from './policy-sets.ts';
import { restoreVersion, versionOf } from './stored-version.ts';

export interface PolicyFeedDeps {
  readonly ledger: VersionLedger;
  /** What holds of a policy has changed. @param standing undefined: the policy is gone or disabled */
  readonly put: (namespace: string, name: string, standing: Standing | undefined) => void;
  readonly engine: PolicyEngine;
  readonly platformNamespace: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
  /** A generation does not compile. */
  readonly compileFailed: () => void;
}

/** A version that is in force, with its row in the ledger. */
interface TakenVersion {
  readonly definition: PolicyDefinition;
  readonly compiled: CompiledPolicy;
}

/** A policy in the state in which it was last taken over. */
export interface KnownPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly createdAt: number;
  /** Of this generation. */
  readonly judged: AcceptedPolicy | RefusedPolicy;
  /** The version in force: of this generation, or of the last one that was accepted. */
  readonly version: TakenVersion | undefined;
  /** The ledger's row of the version in force, even if this program can't compile it. Undefined: no version is in force. */
  readonly row: PolicyVersion | undefined;
  /** What holds without a version; undefined with one, and of a policy that is disabled. */
  readonly wanted: Wanted | undefined;
  /** Finished replays of the version, newest first; only when a gate asks for them. */
  readonly totals: readonly StoredTotals[];
}

/** What is in force of a policy. */
type InForce = Pick<KnownPolicy, 'version' | 'row' | 'wanted' | 'totals'>;

const NONE: InForce = { version: undefined, row: undefined, wanted: undefined, totals: [] };

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

function namedBy(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * Takes policies into force (policy.md §2): each generation is judged once. One that is refused changes nothing; the
 * last good one stays, also after a restart and with another program. Compiling takes up to a second of this thread, in
 * slices between which runs go on.
 */
export class PolicyFeed {
  readonly #deps: PolicyFeedDeps;
  readonly #kept: KeptVersions;
  readonly #known = new Map<string, KnownPolicy>();
  readonly #turns = new KeyedQueue();

  constructor(deps: PolicyFeedDeps) {
    this.#deps = deps;
    this.#kept = new KeptVersions(deps.ledger, deps.logger);
  }

  /** Reads which versions were in force. @throws LedgerError */
  open(): Promise<void> {
    return this.#kept.open();
  }

  /** Policies that were in force before this process began, or are now. */
  keys(): Iterable<string> {
    return this.#kept.all.keys();
  }

  /** `namespace/name` of every policy. */
  names(): Iterable<string> {
    return this.#known.keys();
  }

  known(namespace: string, name: string): KnownPolicy | undefined {
    return this.#known.get(`${namespace}/${name}`);
  }

  /**
   * Takes over the present state of one policy. What needs no ledger has been done even when it rejects.
   * @param policy undefined: it was deleted
   * @throws LedgerError the ledger is away: a later call makes it durable
   */
  apply(key: string, policy: KubeObject | undefined): Promise<void> {
    return this.#turns.take(key, async () => {
      if (policy === undefined) return this.#remove(key);
      const known = this.#known.get(key);
      // Another object of the same name begins anew, and the earlier one holds until then: no run meets neither.
      const before = known?.uid === uidOf(policy) ? known : undefined;
      const isSame = before?.generation === generationOf(policy);
      const { row } = isSame ? before : await this.#take(key, policy, before);
      return row === undefined ? this.#kept.drop(key) : this.#kept.keep(key, row);
    });
  }

  /** A replay of the version of a policy finished: whether its gate is met is decided again. @throws LedgerError */
  replayed(namespace: string, name: string): Promise<void> {
    const key = `${namespace}/${name}`;
    return this.#turns.take(key, async () => {
      const known = this.#known.get(key);
      if (known?.version === undefined) return;
      this.#put(key, { ...known, totals: await this.#totalsOf(known.version.definition) });
    });
  }

  async #take(key: string, policy: KubeObject, before: KnownPolicy | undefined): Promise<KnownPolicy> {
    const { engine, platformNamespace, clock, logger } = this.#deps;
    const judged = await inSlices(judgePolicySteps(policy, { engine, platformNamespace, now: clock.now() }));
    const placed = {
      ...namedBy(key),
      uid: uidOf(policy),
      generation: generationOf(policy),
      createdAt: createdAtOf(policy),
    };
    if (judged.kind === 'accepted')
      return this.#put(key, { ...placed, judged, ...(await this.#accepted(policy, judged)) });
    logger.warn('a version of a policy does not take force', { policy: key, reason: judged.reason });
    if (judged.reason === 'CompileFailed') this.#deps.compileFailed();
    if (before?.row !== undefined) return this.#put(key, { ...before, ...placed, judged });
    return this.#put(key, { ...placed, judged, ...(await this.#lastOf(key, policy, judged)) });
  }

  async #accepted(policy: KubeObject, judged: AcceptedPolicy): Promise<InForce> {
    const { definition, compiled } = judged;
    if (definition.spec.mode === 'Disabled') return NONE;
    const row = versionOf(policy, judged, this.#deps.clock.now());
    return { ...NONE, version: { definition, compiled }, row, totals: await this.#totalsOf(definition) };
  }

  /** A refused generation, after a start: the version of the same object that the ledger has in force. */
  async #lastOf(key: string, policy: KubeObject, { definition }: RefusedPolicy): Promise<InForce> {
    const kept = this.#kept.all.get(key);
    if (kept === undefined || kept.uid !== uidOf(policy)) return { ...NONE, wanted: wantedOf(policy, definition) };
    return this.#restored(key, kept);
  }

  async #restored(key: string, kept: PolicyVersion): Promise<InForce> {
    const { engine, clock, logger } = this.#deps;
    const restored = await inSlices(restoreVersion(kept, clock.now(), engine));
    const { definition } = restored;
    const totals = definition === undefined ? [] : await this.#totalsOf(definition);
    if (restored.ok) {
      logger.warn('the last good version of a policy stays in force', { policy: key, digest: kept.digest });
      return {
        version: { definition: restored.definition, compiled: restored.compiled },
        row: kept,
        wanted: undefined,
        totals,
      };
    }
    const findings = restored.findings.map(({ code, pointer }) => `${code} ${pointer}`);
    logger.error('a policy that was in force can not be compiled any more: the runs that it means are denied', {
      policy: key,
      digest: kept.digest,
      findings,
    });
    const effective = definition && effectiveMode(definition, totals);
    return { ...NONE, row: kept, wanted: wantedAfter(kept, definition, effective) };
  }

  async #totalsOf({ namespace, name, digest, spec }: PolicyDefinition): Promise<readonly StoredTotals[]> {
    if (spec.promotion?.requireReplay === undefined) return [];
    return this.#deps.ledger.replayTotals(namespace, name, digest);
  }

  #put(key: string, known: KnownPolicy): KnownPolicy {
    this.#known.set(key, known);
    this.#deps.put(known.namespace, known.name, this.#standingOf(known));
    return known;
  }

  /** @returns undefined: it is disabled */
  #standingOf({ namespace, name, createdAt, version, wanted, totals }: KnownPolicy): Standing | undefined {
    const isOfPlatform = namespace === this.#deps.platformNamespace;
    if (version === undefined) {
      if (wanted === undefined) return undefined;
      const { isForAll, ...missing } = wanted;
      return { ...missing, kind: 'without', createdAt, isPlatform: isOfPlatform && isForAll };
    }
    const mode = effectiveMode(version.definition, totals);
    const isPlatform = isOfPlatform && version.definition.spec.scope === 'Platform';
    return mode && { kind: 'version', namespace, name, createdAt, isPlatform, ...version, mode };
  }

  async #remove(key: string): Promise<void> {
    const { namespace, name } = namedBy(key);
    this.#known.delete(key);
    this.#deps.put(namespace, name, undefined);
    await this.#kept.drop(key);
    this.#deps.logger.debug('policy removed', { policy: key });
  }
}
