import type { Digest } from '../../core/json/digest.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { policySet, type EffectiveMode, type PolicySet } from '../../core/policy/decision/policy-set.ts';
import type { Phase } from '../../core/policy/facts/fact-schema.ts';
import type { PolicyDefinition } from '../../core/policy/document/definition.ts';
import type { CompiledPolicy } from '../../core/policy/language/port.ts';
import { effectiveMode, gateVerdict, type GateVerdict } from '../../core/policy/simulation/gate.ts';
import type { PolicyTestReport } from '../../core/policy/simulation/run-tests.ts';
import type { StoredTotals } from '../../adapters/ledger/port.ts';
import { PolicyFeed, type KnownPolicy, type PolicyFeedDeps } from './policy-feed.ts';
import { PolicySets, type Standing } from './policy-sets.ts';
import { substituteOf, type PolicyStanding } from './substitute.ts';

/** Whether a version of a policy met the gate that its spec asks for. */
export interface PolicyGate extends GateVerdict {
  /** The newest finished replay of the version. Undefined: no replay of it has finished. */
  readonly newest: StoredTotals | undefined;
}

/** What is known of a policy. */
export interface PolicyReport {
  readonly uid: string;
  /** The generation that the following is about. */
  readonly generation: number;
  readonly definition: PolicyDefinition | undefined;
  /** Undefined: it does not compile. */
  readonly compiled: CompiledPolicy | undefined;
  readonly findings: readonly Finding[];
  readonly tests: PolicyTestReport | undefined;
  /** It compiles and passes its tests. */
  readonly isAccepted: boolean;
  /** The version that decides now; it may be an earlier generation. Undefined: no version decides. */
  readonly inForce: { readonly digest: Digest; readonly mode: EffectiveMode } | undefined;
  /** Of the version in force; undefined: its spec asks for no replay. */
  readonly gate: PolicyGate | undefined;
  /** It would be in force, but its namespace has too many or too expensive policies (policy.md §1.2). */
  readonly isOverBudget: boolean;
}

/** The policies that hold, in the memory of this process. */
export interface Policies {
  /**
   * The set that meets the runs of a namespace; undefined: it has no policy but disabled ones. The same object until
   * something changes. Until every policy was read once, it denies every run.
   */
  readonly of: (namespace: string) => PolicySet | undefined;
  /** What this process knows of a policy. Undefined: no such policy exists. */
  readonly state: (namespace: string, name: string) => PolicyReport | undefined;
  /** A replay finished: the gate is decided again. @throws LedgerError */
  readonly replayed: (namespace: string, name: string) => Promise<void>;
}

export type PoliciesDeps = Omit<PolicyFeedDeps, 'put'>;

/** The set until all policies are read. It has one policy that is never in force, so every run is denied. */
const unreadSet = (namespace: string): PolicySet =>
  policySet([], [{ namespace, name: 'not-read-yet', mode: 'Enforce', requireReady: true, match: undefined }]);

function gateOf({ version, totals }: KnownPolicy): PolicyGate | undefined {
  const required = version?.definition.spec.promotion?.requireReplay;
  if (version === undefined || required === undefined) return undefined;
  const { digest } = version.definition;
  const [newest] = totals;
  const verdicts = totals.map((replay) => gateVerdict(required, digest, replay));
  const passed = verdicts.find((verdict) => verdict.passed);
  return { ...(passed ?? verdicts[0] ?? { passed: false, failing: [] }), newest };
}

/** Makes the policies of a process. `feed` is given the objects; nothing is in force before `open`. */
export class PoliciesInForce implements Policies {
  readonly feed: PolicyFeed;
  readonly #sets = new PolicySets();
  readonly #unread: PolicySet;
  readonly #listeners: ((namespace: string, name: string) => void)[] = [];
  #isRead = false;

  constructor(deps: PoliciesDeps) {
    this.feed = new PolicyFeed({ ...deps, put: (...change) => this.#put(...change) });
    this.#unread = unreadSet(deps.platformNamespace);
  }

  /** Every policy that existed at the start was taken over. */
  read(): void {
    this.#isRead = true;
  }

  /** Calls a listener whenever something of a policy changed. It must not wait. */
  watch(listener: (namespace: string, name: string) => void): void {
    this.#listeners.push(listener);
  }

  readonly of = (namespace: string): PolicySet | undefined => (this.#isRead ? this.#sets.of(namespace) : this.#unread);

  readonly state = (namespace: string, name: string): PolicyReport | undefined => {
    const known = this.feed.known(namespace, name);
    if (known === undefined) return undefined;
    const { uid, generation, judged, version, totals } = known;
    const { definition, compiled, findings, tests } = judged;
    const isOverBudget = this.#sets.isRefused(namespace, name);
    const mode = version && effectiveMode(version.definition, totals);
    const inForce =
      version === undefined || mode === undefined || isOverBudget
        ? undefined
        : { digest: version.definition.digest, mode };
    const found = { definition, compiled, findings, tests, isAccepted: judged.kind === 'accepted' };
    return { uid, generation, ...found, inForce, gate: gateOf(known), isOverBudget };
  };

  /** `namespace/name` of every policy. */
  names(): Iterable<string> {
    return this.feed.names();
  }

  /** Whether the newest generation of each policy is in force. */
  *standings(): Iterable<PolicyStanding> {
    for (const key of this.feed.names()) {
      const [namespace = '', name = ''] = key.split('/');
      const known = this.feed.known(namespace, name);
      if (known !== undefined) yield [key, substituteOf(known, this.#sets.isRefused(namespace, name))];
    }
  }

  /** Units of each set that was asked for. */
  costUnits(): Iterable<Readonly<Record<Phase, number>>> {
    return this.#sets.costUnits();
  }

  readonly replayed = (namespace: string, name: string): Promise<void> => this.feed.replayed(namespace, name);

  #put(namespace: string, name: string, standing: Standing | undefined): void {
    this.#sets.put(namespace, name, standing);
    for (const listener of this.#listeners) listener(namespace, name);
  }
}
