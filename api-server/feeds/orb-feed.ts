import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { IdClaim, OrbPlace, ValidOrbs } from '../../adapters/catalog/valid-orbs.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { fileOf } from '../../core/files/file-object.ts';
import { fileOf as loadedFrom } from '../../core/loader/own-orb.ts';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { createdAtOf, wantedOrbId } from '../../core/orb/plan-holder.ts';
import type { StoredManifest } from '../../core/orb/plan-manifest.ts';
import { failoverPinIn } from '../../core/orb/plan-pin.ts';
import { isJudged, validVersionOf, type ValidVersion } from '../../core/orb/valid-version.ts';
import { generationOf, labelsOf, specOf, statusOf } from '../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { SwappedOrb } from '../../core/swap/swap-receipt-of.ts';

/** The part of an Orb that the API reads: conditions are for people. */
export function withoutConditions(orb: KubeObject): KubeObject {
  const { conditions: _, ...status } = statusOf(orb);
  return { ...orb, status };
}

export interface OrbFeedDeps {
  readonly valid: ValidOrbs;
  readonly logger: Logger;
  /** Compiles the manifest of a stored Orb. */
  readonly compile: (orb: KubeObject) => StoredManifest;
}

/** An Orb in the state in which it was last taken over. */
interface Known {
  readonly uid: string;
  readonly generation: number;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Whether this exact generation is valid. */
  readonly isValid: boolean;
  /** The version that runs: this generation or an earlier one. */
  readonly running: CompiledOrb | undefined;
  /** What the operator had reported about this generation. */
  readonly word: string;
  /** Absent: the Orb can't run. */
  readonly claim: IdClaim | undefined;
  /** Fault of a generation that is not valid. */
  readonly fault: string | undefined;
  readonly failover: CompiledOrb['failover'];
}

/** The last valid version, which runs while the Orb is not valid. */
interface LastVersion {
  /** Absent: the Orb has no id under which it could run. */
  readonly claim: IdClaim | undefined;
  readonly running: CompiledOrb | undefined;
}

const placeOf = (key: string): OrbPlace => {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

/** The last valid version in the operator's report on this generation; '' before there is a report. */
const wordOf = (orb: KubeObject): string => (isJudged(orb) ? JSON.stringify(validVersionOf(orb) ?? null) : '');

/** The state of the failover that the operator has written. */
const failoverOf = (orb: KubeObject): CompiledOrb['failover'] =>
  readFailoverStatus(statusOf(orb)['failover']) ?? undefined;

/**
 * Overlays labels, pin and state, which are not part of a version. The pin's actor is the writer that the API server recorded.
 */
const withStateOf = (orb: KubeObject, version: CompiledOrb): CompiledOrb => ({
  ...version,
  labels: labelsOf(orb),
  pin: failoverPinIn(orb) ?? undefined,
  failover: failoverOf(orb),
});

/** Whether everything that decides on runs is unchanged: a valid generation needs no report of the operator. */
const isTakenOver = (before: Known, orb: KubeObject): boolean =>
  before.generation === generationOf(orb) && (before.isValid || before.word === wordOf(orb));

function wantedClaim(orb: KubeObject): IdClaim | undefined {
  const named = parseOrbId(wantedOrbId(orb) ?? '');
  return named.ok ? { orbId: named.value, createdAt: createdAtOf(orb), isValid: false } : undefined;
}

/**
 * A version that the operator has not seen. Another Orb with that id goes first: the operator sees no conflict there.
 */
function ownVersion(orb: KubeObject, own: CompiledOrb | undefined): LastVersion {
  if (own === undefined) return { claim: wantedClaim(orb), running: undefined };
  return { claim: { orbId: own.orbId, createdAt: createdAtOf(orb), isValid: !isJudged(orb) }, running: own };
}

/** The file of a folder that holds the Orb: of `npm start`, or of the manifest loader. */
function withFile(orb: KubeObject): Pick<IdClaim, 'file'> {
  const file = fileOf(orb) ?? loadedFrom(orb);
  return file === undefined || file === '' ? {} : { file };
}

const withFault = (claim: IdClaim | undefined, fault: string | undefined, orb: KubeObject): IdClaim | undefined =>
  claim === undefined || fault === undefined ? claim : { ...claim, fault, ...withFile(orb) };

/** What people are told about an Orb without a usable id. */
function refusedSource(orb: KubeObject, fault = ''): Parameters<ValidOrbs['refuse']>[1] {
  const id = wantedOrbId(orb);
  return { ids: id === undefined ? [] : [id], fault, ...withFile(orb) };
}

const isSameManifest = (before: Known['spec'], after: Known['spec']): boolean =>
  isDeepStrictEqual({ ...before, pin: undefined }, { ...after, pin: undefined });

/**
 * Keeps the Orbs of the catalogue equal to those of the cluster. An Orb is compiled once a generation; a new pin
 * compiles nothing. While a generation is broken, the last valid one keeps running, also after a restart
 * (design.md §2).
 */
export class OrbFeed {
  readonly #deps: OrbFeedDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: OrbFeedDeps) {
    this.#deps = deps;
  }

  /**
   * Takes over the present state of one Orb. Calls for one key must not overlap.
   * @param orb undefined: it was deleted
   * @throws LedgerError the ledger is away: everything that needs no ledger is done, and a later call does the rest
   */
  async apply(key: string, orb: KubeObject | undefined): Promise<void> {
    const known = this.#known.get(key);
    if (orb === undefined) return this.#remove(key);
    if (known !== undefined && known.uid !== uidOf(orb)) await this.#remove(key);
    const before = this.#known.get(key);
    if (before !== undefined && isTakenOver(before, orb)) return this.#follow(key, before, orb);
    await nextTurn(); // thousands may come at once: other work gets a turn between two of them
    if (before?.generation === generationOf(orb)) return this.#keepLast(key, before, orb, before.fault);
    const stored = this.#compile(before, orb);
    if (stored.kind === 'compiled') await this.#accept(key, orb, stored.orb);
    else await this.#keepLast(key, before, orb, stored.message);
  }

  /** An Orb that runs and has swaps, for their receipts. @param key as in `apply` */
  swapped(key: string): SwappedOrb | undefined {
    const known = this.#known.get(key);
    const running = known?.running;
    if (known === undefined || running?.failover === undefined) return undefined;
    const { uid, generation } = known;
    const { namespace, orbId, digest, failover, pin = null } = running;
    return { namespace, uid, orbId, manifestDigest: digest, generation, failover, pin };
  }

  /** All Orbs that run and have swaps. */
  *allSwapped(): Generator<SwappedOrb> {
    for (const key of this.#known.keys()) {
      const orb = this.swapped(key);
      if (orb !== undefined) yield orb;
    }
  }

  /**
   * A swap only changes where runs start, and labels only which policies match. Both take effect at once and compile
   * nothing.
   */
  #follow(key: string, before: Known, orb: KubeObject): void {
    const [failover, labels] = [failoverOf(orb), labelsOf(orb)];
    const isSame = before.running === undefined || isDeepStrictEqual(before.running.labels, labels);
    if (isSame && isDeepStrictEqual(before.failover, failover)) return;
    const running = before.running === undefined ? undefined : { ...before.running, failover, labels };
    if (before.claim !== undefined && running !== undefined) {
      this.#deps.valid.publishAs(placeOf(key), before.claim, running);
    }
    this.#known.set(key, { ...before, running, failover });
  }

  #compile(before: Known | undefined, orb: KubeObject): StoredManifest {
    const { compile, logger } = this.#deps;
    const same = before?.isValid === true && isSameManifest(before.spec, specOf(orb)) ? before.running : undefined;
    if (same !== undefined) return { kind: 'compiled', orb: withStateOf(orb, same) };
    const stored = compile(orb);
    if (stored.kind === 'compiled') return { kind: 'compiled', orb: withStateOf(orb, stored.orb) };
    const { namespace, name } = orb.metadata;
    logger.info('an Orb is not valid', { orb: `${namespace}/${name}`, reason: stored.reason, detail: stored.message });
    return stored;
  }

  async #accept(key: string, orb: KubeObject, compiled: CompiledOrb): Promise<void> {
    const { valid } = this.#deps;
    const place = placeOf(key);
    const since = createdAtOf(orb);
    try {
      await valid.keep(place, compiled, { since, uid: uidOf(orb) });
    } finally {
      // Without the ledger no run starts anyway. When it is back, the new version must not wait for the retry.
      valid.publish(place, compiled.orbId, compiled, since);
    }
    const claim = { orbId: compiled.orbId, createdAt: since, isValid: true };
    this.#remember(key, orb, { isValid: true, running: compiled, claim, fault: undefined });
  }

  /** The last valid version keeps running, under the id that operator and API agree on (`claimOf`). */
  async #keepLast(key: string, before: Known | undefined, orb: KubeObject, fault: string | undefined): Promise<void> {
    const { valid, logger } = this.#deps;
    const place = placeOf(key);
    const { claim: claimed, running: last } = await this.#lastVersion(key, before, orb);
    const claim = withFault(claimed, fault, orb);
    const running = last === undefined ? undefined : withStateOf(orb, last);
    if (claim === undefined) await valid.refuse(place, refusedSource(orb, fault));
    else valid.publishAs(place, claim, running);
    const isNew = before?.generation !== generationOf(orb) || before.running?.digest !== running?.digest;
    if (running !== undefined && isNew) {
      logger.warn('the last valid version keeps running', { orb: key, digest: running.digest });
    }
    this.#remember(key, orb, { isValid: false, running, claim, fault });
  }

  /** The previous version keeps running until the operator has judged this generation. Then its report decides. */
  async #lastVersion(key: string, before: Known | undefined, orb: KubeObject): Promise<LastVersion> {
    const own = before === undefined ? await this.#kept(key, orb) : before.running;
    const reported = validVersionOf(orb);
    const isUnreported = !isJudged(orb) && before?.running !== undefined;
    return reported === undefined || isUnreported ? ownVersion(orb, own) : this.#reportedVersion(orb, reported, own);
  }

  /**
   * The operator judges the other Orbs of the namespace by this version, so the API must too. Another id never runs.
   */
  async #reportedVersion(orb: KubeObject, reported: ValidVersion, own: CompiledOrb | undefined): Promise<LastVersion> {
    const { digest, orbId } = reported;
    const { namespace = '' } = orb.metadata;
    const exact = own?.digest === digest ? own : await this.#deps.valid.restore(namespace, digest);
    const running = exact ?? (own?.orbId === orbId ? own : undefined);
    return { claim: { orbId, createdAt: createdAtOf(orb), isValid: true }, running };
  }

  /** The version that the ledger kept of this same object. */
  async #kept(key: string, orb: KubeObject): Promise<CompiledOrb | undefined> {
    const { valid } = this.#deps;
    const kept = valid.lastValid.get(key);
    return kept?.uid === uidOf(orb) ? valid.restore(placeOf(key).namespace, kept.digest) : undefined;
  }

  async #remove(key: string): Promise<void> {
    this.#known.delete(key);
    await this.#deps.valid.remove(placeOf(key));
    this.#deps.logger.debug('Orb removed', { orb: key });
  }

  #remember(key: string, orb: KubeObject, what: Pick<Known, 'isValid' | 'running' | 'claim' | 'fault'>): void {
    const spec = isJsonObject(orb.spec) ? orb.spec : {};
    const { running } = what;
    const failover = running === undefined ? failoverOf(orb) : running.failover;
    this.#known.set(key, {
      uid: uidOf(orb),
      generation: generationOf(orb),
      spec,
      word: wordOf(orb),
      failover,
      ...what,
    });
  }
}
