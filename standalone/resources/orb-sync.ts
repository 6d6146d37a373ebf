import { basename } from 'node:path';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Pin } from '../../crds/orb.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { isDigest, type Digest } from '../../core/json/digest.ts';
import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { Placed } from './resource-set.ts';

type OrbDocument = Extract<Resource, { kind: 'Orb' }>;

export interface SyncDeps {
  readonly catalog: MemoryCatalog;
  readonly ledger: Pick<Ledger, 'putManifest' | 'manifest' | 'states' | 'putState' | 'deleteState'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'setOrb' | 'removeOrb'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

// Which version of an Orb was the last valid one: it runs on after a broken edit, also after a restart.
const STATE_KIND = 'valid-orb';

/** Tells the person who edits the files: one line a finding, with its file and place. */
export function reportFindings(logger: Logger, file: string, findings: readonly Finding[]): void {
  for (const { severity, code, pointer, detail, suggestion, line, column } of findings) {
    const hint = suggestion === undefined || detail.includes(suggestion) ? '' : ` Did you mean "${suggestion}"?`;
    const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    const fields = { file: basename(file), ...place, pointer, code };
    if (severity === 'error') logger.error(`${detail}${hint}`, fields);
    else logger.warn(`${detail}${hint}`, fields);
  }
}

/** JSON of our own, from the ledger. */
function parseText(text: string): JsonValue {
  const parsed = readJson(Buffer.from(text));
  return parsed.ok ? parsed.value : null;
}

/** What the ledger says of an Orb that was once valid. */
interface LastValid {
  readonly digest: Digest;
  /** Name of the file that it stood in. */
  readonly file: string | undefined;
  /** Ms since epoch of its first valid version: the oldest holder of an id keeps it (design.md §2). */
  readonly since: number;
}

function parseLastValid(json: string): LastValid | undefined {
  const state = parseText(json);
  if (!isJsonObject(state)) return undefined;
  const { digest, file, since } = state;
  if (typeof digest !== 'string' || !isDigest(digest)) return undefined;
  return { digest, file: typeof file === 'string' ? file : undefined, since: typeof since === 'number' ? since : 0 };
}

interface Known {
  readonly orb: Pick<OrbDocument, 'namespace' | 'name' | 'manifest'>;
  /** Absent: the file of the Orb can't be read since the start, and what it held before runs on. */
  readonly document: OrbDocument | undefined;
}

const keyOf = ({ namespace, name }: Known['orb']): string => `${namespace}/${name}`;

/** Keeps the Orbs of a catalogue equal to the documents of a folder; one bad Orb never stops another. */
export class OrbSync {
  readonly #deps: SyncDeps;
  #known = new Map<string, Known>();
  /** What earlier starts left in the ledger; read once, every later change is this object's own. */
  #lastValid: Map<string, LastValid> | undefined;
  /** Ms since epoch of the look that is being taken over. */
  #lookAt = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  /**
   * Takes the Orbs of one look over: compiles what is new or changed, removes what is gone.
   * @param unread files that could not be read since the start: what they last held runs on
   */
  async update(placed: readonly Placed[], unread: ReadonlySet<string>): Promise<void> {
    this.#lastValid ??= await this.#readStates();
    this.#lookAt = this.#deps.clock.now();
    const next = new Map<string, Known>();
    for (const item of placed) {
      const { resource } = item.document;
      if (resource.kind !== 'Orb') continue;
      const key = keyOf(resource);
      next.set(key, { orb: resource, document: resource });
      if (this.#known.get(key)?.document !== resource) await this.#apply(key, item, resource);
    }
    await this.#keepUnread(next, new Set([...unread].map((path) => basename(path))));
    for (const [key, { orb }] of this.#known) if (!next.has(key)) await this.#remove(key, orb);
    this.#known = next;
  }

  async #readStates(): Promise<Map<string, LastValid>> {
    const rows = await this.#deps.ledger.states(STATE_KIND);
    return new Map(
      rows.flatMap(({ key, json }) => {
        const state = parseLastValid(json);
        return state === undefined ? [] : [[key, state] as const];
      }),
    );
  }

  /** After a start nobody knows which Orbs an unreadable file holds: those that it held when it was last good. */
  async #keepUnread(next: Map<string, Known>, unread: ReadonlySet<string>): Promise<void> {
    for (const [key, { file }] of this.#lastValid ?? []) {
      if (next.has(key) || file === undefined || !unread.has(file)) continue;
      const known = this.#known.get(key) ?? (await this.#restore(key));
      if (known !== undefined) next.set(key, known);
    }
  }

  async #restore(key: string): Promise<Known | undefined> {
    const slash = key.indexOf('/');
    const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const compiled = await this.#compileLast(key, namespace);
    if (compiled === undefined) return undefined;
    this.#publish(name, compiled);
    this.#deps.logger.warn('the last valid version runs on', { orb: key, digest: compiled.digest });
    return { orb: { namespace, name, manifest: { orb_id: compiled.orbId } }, document: undefined };
  }

  async #apply(key: string, item: Placed, orb: OrbDocument): Promise<void> {
    const { logger, allowedOrigins } = this.#deps;
    const { namespace, pin } = orb;
    const compiled = compileOrb(orb.manifest, { namespace, allowedOrigins, ...(pin === undefined ? {} : { pin }) });
    const findings = compiled.findings.map((finding) => ({ ...finding, pointer: `${orb.pointer}${finding.pointer}` }));
    reportFindings(logger, item.file, item.document.withPlaces(findings));
    if (compiled.ok) await this.#accept(key, item, compiled.value);
    else await this.#keepLast(key, orb);
  }

  async #accept(key: string, { file: path, document }: Placed, compiled: CompiledOrb): Promise<void> {
    const { ledger, logger } = this.#deps;
    const { namespace, name } = document.resource;
    const { digest, orbId, jcs } = compiled;
    const file = basename(path);
    await ledger.putManifest(namespace, digest, jcs);
    const state = { digest, file, since: this.#sinceOf(key) };
    await ledger.putState(STATE_KIND, key, JSON.stringify(state));
    this.#lastValid?.set(key, state);
    this.#publish(name, compiled);
    const holder = this.#deps.catalog.orb(namespace, orbId)?.name;
    if (holder === name) logger.info('Orb loaded', { orb_id: orbId, namespace, digest });
    else
      logger.error(`The Orb ${holder ?? ''} holds this orb_id; give this one another.`, {
        file,
        orb: key,
        orb_id: orbId,
        code: 'orb-id-conflict',
      });
  }

  /** When the Orb was first valid; one that is new with this look is as old as the others of the look. */
  #sinceOf(key: string): number {
    return this.#lastValid?.get(key)?.since ?? this.#lookAt;
  }

  #publish(name: string, compiled: CompiledOrb): void {
    const { namespace, orbId, order, manifest } = compiled;
    const createdAt = this.#sinceOf(`${namespace}/${name}`);
    this.#deps.catalog.setOrb({ namespace, name, orbId, compiled, createdAt });
    this.#deps.metrics.setOrb({ namespace, orbId, providers: order, swaps: manifest.swap_config !== undefined });
  }

  /** The last valid version runs on: the one in memory, or after a restart the one in the ledger. */
  async #keepLast(key: string, orb: OrbDocument): Promise<void> {
    const { catalog, logger } = this.#deps;
    const { namespace, name, manifest } = orb;
    if (this.#known.has(key)) {
      logger.warn('the last valid version runs on', { orb: key });
      return;
    }
    const compiled = await this.#compileLast(key, namespace, orb.pin);
    const named = typeof manifest['orb_id'] === 'string' ? parseOrbId(manifest['orb_id']) : undefined;
    const orbId = compiled?.orbId ?? (named?.ok === true ? named.value.id : undefined);
    if (compiled !== undefined) this.#publish(name, compiled);
    else if (orbId !== undefined) catalog.setOrb({ namespace, name, orbId, compiled, createdAt: this.#lookAt });
    if (compiled !== undefined) logger.warn('the last valid version runs on', { orb: key, digest: compiled.digest });
  }

  async #compileLast(key: string, namespace: string, pin?: Pin): Promise<CompiledOrb | undefined> {
    const { ledger, allowedOrigins } = this.#deps;
    const digest = this.#lastValid?.get(key)?.digest;
    const text = digest === undefined ? undefined : await ledger.manifest(namespace, digest);
    const compiled =
      text === undefined
        ? undefined
        : compileOrb(parseText(text), { namespace, allowedOrigins, ...(pin === undefined ? {} : { pin }) });
    return compiled?.ok === true ? compiled.value : undefined;
  }

  async #remove(key: string, { namespace, name, manifest }: Known['orb']): Promise<void> {
    const { orb_id: orbId } = manifest;
    this.#deps.catalog.removeOrb(namespace, name);
    if (typeof orbId === 'string') this.#deps.metrics.removeOrb(namespace, orbId);
    await this.#deps.ledger.deleteState(STATE_KIND, key);
    this.#lastValid?.delete(key);
    this.#deps.logger.info('Orb removed', { orb: key });
  }
}
