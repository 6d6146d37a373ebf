import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OrbPlace, ValidOrbs } from '../../adapters/catalog/valid-orbs.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { isDigest } from '../../core/json/digest.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { withPin } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { wantedOrbId } from '../../core/orb/plan-holder.ts';
import { compileStored } from '../../core/orb/plan-manifest.ts';
import { pinOf } from '../../core/orb/plan-pin.ts';
import { generationOf, specOf, statusOf } from '../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';

export interface OrbFeedDeps {
  readonly valid: ValidOrbs;
  readonly logger: Logger;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

/** One Orb as it was taken over last. */
interface Known {
  readonly uid: string;
  readonly generation: number;
  readonly spec: Readonly<Record<string, unknown>>;
  /** This very generation is valid. */
  readonly isValid: boolean;
  /** What runs: this generation or an earlier one. */
  readonly running: CompiledOrb | undefined;
}

const placeOf = (key: string): OrbPlace => {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

function createdAtOf({ metadata }: KubeObject): number {
  const at = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(at) ? 0 : at;
}

const isSameManifest = (before: Known['spec'], after: Known['spec']): boolean =>
  isDeepStrictEqual({ ...before, pin: undefined }, { ...after, pin: undefined });

/**
 * Keeps the Orbs of the catalogue equal to those of the cluster: compiled once a generation, and with a new pin not at all.
 * A broken generation leaves the last valid one running, also after a restart (design.md §2).
 */
export class OrbFeed {
  readonly #deps: OrbFeedDeps;
  readonly #known = new Map<string, Known>();

  constructor(deps: OrbFeedDeps) {
    this.#deps = deps;
  }

  /**
   * Takes one Orb over as it is now; calls for one key must not overlap.
   * @param orb undefined: it was deleted
   * @throws LedgerError the ledger is away; what could be done without it is done, and a later call does the rest
   */
  async apply(key: string, orb: KubeObject | undefined): Promise<void> {
    const known = this.#known.get(key);
    if (orb === undefined) return this.#remove(key);
    if (known !== undefined && known.uid !== uidOf(orb)) await this.#remove(key);
    const before = this.#known.get(key);
    if (before?.generation === generationOf(orb)) return;
    await nextTurn(); // thousands come at once: others have a turn between two of them
    const compiled = this.#compile(before, orb);
    if (compiled === undefined) await this.#keepLast(key, before, orb);
    else await this.#accept(key, orb, compiled);
  }

  #compile(before: Known | undefined, orb: KubeObject): CompiledOrb | undefined {
    const { allowedOrigins, logger } = this.#deps;
    const same = before?.isValid === true && isSameManifest(before.spec, specOf(orb)) ? before.running : undefined;
    if (same !== undefined) return withPin(same, pinOf(orb));
    const stored = compileStored(orb, allowedOrigins);
    if (stored.kind === 'compiled') return withPin(stored.orb, pinOf(orb));
    const { namespace, name } = orb.metadata;
    logger.info('an Orb is not valid', { orb: `${namespace}/${name}`, reason: stored.reason, detail: stored.message });
    return undefined;
  }

  async #accept(key: string, orb: KubeObject, compiled: CompiledOrb): Promise<void> {
    const { valid } = this.#deps;
    const place = placeOf(key);
    const since = createdAtOf(orb);
    try {
      await valid.keep(place, compiled, { since, uid: uidOf(orb) });
    } finally {
      // Without the ledger nothing runs anyway; with it back, the new version must not wait for the retry.
      valid.publish(place, compiled.orbId, compiled, since);
    }
    this.#remember(key, orb, { isValid: true, running: compiled });
  }

  /** The last valid version runs on: the one in memory, else the one that the status or the ledger names. */
  async #keepLast(key: string, before: Known | undefined, orb: KubeObject): Promise<void> {
    const { valid, logger } = this.#deps;
    const place = placeOf(key);
    const last = before === undefined ? await this.#restore(key, orb) : before.running;
    const running = last === undefined ? undefined : withPin(last, pinOf(orb));
    const named = parseOrbId(wantedOrbId(orb) ?? '');
    const orbId = running?.orbId ?? (named.ok ? named.value.id : undefined);
    if (orbId === undefined) await valid.remove(place);
    else valid.publish(place, orbId, running, createdAtOf(orb));
    if (running !== undefined) logger.warn('the last valid version runs on', { orb: key, digest: running.digest });
    this.#remember(key, orb, { isValid: false, running });
  }

  async #restore(key: string, orb: KubeObject): Promise<CompiledOrb | undefined> {
    const { valid } = this.#deps;
    const { namespace } = placeOf(key);
    const { validDigest } = statusOf(orb);
    const told = typeof validDigest === 'string' && isDigest(validDigest) ? validDigest : undefined;
    const kept = valid.lastValid.get(key);
    const ours = kept?.uid === uidOf(orb) ? kept.digest : undefined;
    for (const digest of new Set([told, ours])) {
      const compiled = digest === undefined ? undefined : await valid.restore(namespace, digest);
      if (compiled !== undefined) return compiled;
    }
    return undefined;
  }

  async #remove(key: string): Promise<void> {
    this.#known.delete(key);
    await this.#deps.valid.remove(placeOf(key));
    this.#deps.logger.debug('Orb removed', { orb: key });
  }

  #remember(key: string, orb: KubeObject, what: Pick<Known, 'isValid' | 'running'>): void {
    const spec = isJsonObject(orb.spec) ? orb.spec : {};
    this.#known.set(key, { uid: uidOf(orb), generation: generationOf(orb), spec, ...what });
  }
}
