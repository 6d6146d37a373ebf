import { isDigest, type Digest } from '../../core/json/digest.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { InvalidSource } from '../../core/orb/invalid-source.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { ClaimRank } from '../../core/orb/plan-holder.ts';
import type { Ledger } from '../ledger/port.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { MemoryCatalog } from './memory-catalog.ts';
import type { OrbEntry } from './port.ts';

export interface ValidOrbsDeps {
  readonly catalog: MemoryCatalog;
  readonly ledger: Pick<Ledger, 'putManifest' | 'manifest' | 'states' | 'putState' | 'deleteState'>;
  readonly metrics: Pick<Metrics, 'setOrb' | 'removeOrb'>;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

/** The ledger's record of an Orb that was once valid. */
export interface LastValid {
  readonly digest: Digest;
  /** Ms since epoch; the oldest holder of an id keeps it (design.md §2). */
  readonly since: number;
  /** A different object of the same name does not inherit this state. */
  readonly uid?: string;
}

/** One Orb resource. */
export interface OrbPlace {
  readonly namespace: string;
  readonly name: string;
}

/** The id that an Orb claims, its rank among other claims, and the fault of its newest generation. */
export interface IdClaim extends Omit<ClaimRank, 'name'>, Pick<OrbEntry, 'fault' | 'file'> {
  readonly orbId: OrbId;
}

// The last valid version of an Orb. It keeps running after a broken edit, also after a restart.
const STATE_KIND = 'valid-orb';

const keyOf = ({ namespace, name }: OrbPlace): string => `${namespace}/${name}`;

const reporterOf = (place: OrbPlace): string => `Orb ${keyOf(place)}`;

/** Parses JSON that this program wrote into the ledger. */
function parseText(text: string): JsonValue {
  const parsed = readJson(Buffer.from(text));
  return parsed.ok ? parsed.value : null;
}

function parseLastValid(json: string): LastValid | undefined {
  const state = parseText(json);
  if (!isJsonObject(state)) return undefined;
  const { digest, since, uid } = state;
  if (typeof digest !== 'string' || !isDigest(digest)) return undefined;
  return {
    digest,
    since: typeof since === 'number' ? since : 0,
    ...(typeof uid === 'string' ? { uid } : {}),
  };
}

const isSame = (before: LastValid | undefined, next: LastValid): boolean =>
  before?.digest === next.digest && before.since === next.since && before.uid === next.uid;

/**
 * The versions of Orbs that run (design.md §2, "the last valid version keeps running"): in the catalogue for runs, and in the
 * ledger for the next start. The watcher of the resources reports valid versions; calls for one Orb must not overlap.
 */
export class ValidOrbs {
  readonly #deps: ValidOrbsDeps;
  readonly #last = new Map<string, LastValid>();
  readonly #ids = new Map<string, OrbId>();

  constructor(deps: ValidOrbsDeps) {
    this.#deps = deps;
  }

  /** Reads the rows of earlier starts. Later changes come only from this object. */
  async open(): Promise<void> {
    for (const { key, json } of await this.#deps.ledger.states(STATE_KIND)) {
      const state = parseLastValid(json);
      if (state !== undefined) this.#last.set(key, state);
    }
  }

  /** By `namespace/name`. */
  get lastValid(): ReadonlyMap<string, LastValid> {
    return this.#last;
  }

  /**
   * Makes a valid version durable, so that it keeps running after a broken edit or a restart. Keeping an unchanged
   * state writes no row.
   */
  async keep(place: OrbPlace, { digest, jcs }: CompiledOrb, state: Omit<LastValid, 'digest'>): Promise<void> {
    const key = keyOf(place);
    const next = { digest, ...state };
    const before = this.#last.get(key);
    if (isSame(before, next)) return;
    if (before?.digest !== digest) await this.#deps.ledger.putManifest(place.namespace, digest, jcs);
    await this.#deps.ledger.putState(STATE_KIND, key, JSON.stringify(next));
    this.#last.set(key, next);
  }

  /** Runs use this version from now on. */
  publish(place: OrbPlace, orbId: OrbId, compiled: CompiledOrb, createdAt: number): void {
    this.publishAs(place, { orbId, createdAt, isValid: true }, compiled);
  }

  /**
   * Like `publish`, with a claim that does not follow from the running version.
   * @param compiled absent: the Orb is known, but no version of it runs
   */
  publishAs(place: OrbPlace, claim: IdClaim, compiled: CompiledOrb | undefined): void {
    const { catalog, metrics } = this.#deps;
    const { namespace, name } = place;
    const { orbId } = claim;
    const before = this.#ids.get(keyOf(place));
    catalog.setInvalid(reporterOf(place), []);
    catalog.setOrb({ namespace, name, compiled, ...claim });
    this.#ids.set(keyOf(place), orbId);
    if (before !== undefined && before !== orbId) this.#forgetId(namespace, before);
    if (compiled === undefined) return;
    const { order, manifest } = compiled;
    metrics.setOrb({ namespace, orbId, providers: order, swaps: manifest.swap_config !== undefined });
  }

  /** The resource is there, but claims no id, so no version of it runs. @param source what people are told about it */
  async refuse(place: OrbPlace, source: Pick<InvalidSource, 'ids' | 'fault'> & Pick<OrbEntry, 'file'>): Promise<void> {
    await this.remove(place);
    const { ids, fault, file } = source;
    const where = file ?? `Orb ${keyOf(place)}`;
    this.#deps.catalog.setInvalid(reporterOf(place), [{ namespace: place.namespace, place: where, ids, fault }]);
  }

  /** Compiles a version that the ledger keeps. @returns undefined: it does not exist, or is no longer valid */
  async restore(namespace: string, digest: Digest): Promise<CompiledOrb | undefined> {
    const { ledger, allowedOrigins } = this.#deps;
    const text = await ledger.manifest(namespace, digest);
    const compiled = text === undefined ? undefined : compileOrb(parseText(text), { namespace, allowedOrigins });
    return compiled?.ok === true ? compiled.value : undefined;
  }

  /** The resource is gone: no version of it runs, and a later resource of its name starts without a history. */
  async remove(place: OrbPlace): Promise<void> {
    const key = keyOf(place);
    this.#deps.catalog.setInvalid(reporterOf(place), []);
    this.#deps.catalog.removeOrb(place.namespace, place.name);
    const orbId = this.#ids.get(key);
    this.#ids.delete(key);
    if (orbId !== undefined) this.#forgetId(place.namespace, orbId);
    if (!this.#last.has(key)) return;
    await this.#deps.ledger.deleteState(STATE_KIND, key);
    this.#last.delete(key);
  }

  /** Another resource may hold the id from now on. */
  #forgetId(namespace: string, orbId: OrbId): void {
    const { catalog, metrics } = this.#deps;
    if (catalog.orb(namespace, orbId) === undefined) metrics.removeOrb(namespace, orbId);
  }
}
