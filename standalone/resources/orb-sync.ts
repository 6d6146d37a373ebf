import { basename } from 'node:path';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import { isDigest } from '../../core/json/digest.ts';
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
  readonly ledger: Pick<Ledger, 'putManifest' | 'manifest' | 'state' | 'putState' | 'deleteState'>;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'setOrb' | 'removeOrb'>;
  /** Origins that pass the host lints. */
  readonly allowedOrigins: readonly string[];
}

// Which version of an Orb was the last valid one: it runs on after a broken edit, also after a restart.
const STATE_KIND = 'valid-orb';

/** Tells the person who edits the files: one line a finding, with its file and place. */
export function reportFindings(logger: Logger, file: string, findings: readonly Finding[]): void {
  for (const { severity, code, pointer, detail, suggestion } of findings) {
    const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
    const fields = { file: basename(file), pointer, code };
    if (severity === 'error') logger.error(`${detail}${hint}`, fields);
    else logger.warn(`${detail}${hint}`, fields);
  }
}

/** JSON of our own, from the ledger. */
function parseText(text: string): JsonValue {
  const parsed = readJson(Buffer.from(text));
  return parsed.ok ? parsed.value : null;
}

/** Keeps the Orbs of a catalogue equal to the documents of a folder; one bad Orb never stops another. */
export class OrbSync {
  readonly #deps: SyncDeps;
  #known = new Map<string, { readonly placed: Placed; readonly orb: OrbDocument }>();

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  /** Takes the Orbs of one look over: compiles what is new or changed, removes what is gone. */
  async update(placed: readonly Placed[]): Promise<void> {
    const next = new Map<string, { readonly placed: Placed; readonly orb: OrbDocument }>();
    for (const item of placed) {
      const { resource } = item.document;
      if (resource.kind !== 'Orb') continue;
      const key = `${resource.namespace}/${resource.name}`;
      next.set(key, { placed: item, orb: resource });
      if (this.#known.get(key)?.orb !== resource) await this.#apply(key, item, resource);
    }
    for (const [key, { orb }] of this.#known) if (!next.has(key)) await this.#remove(key, orb);
    this.#known = next;
  }

  async #apply(key: string, item: Placed, orb: OrbDocument): Promise<void> {
    const { logger, allowedOrigins } = this.#deps;
    const { namespace, pin } = orb;
    const compiled = compileOrb(orb.manifest, { namespace, allowedOrigins, ...(pin === undefined ? {} : { pin }) });
    const findings = compiled.findings.map((finding) => ({ ...finding, pointer: `${orb.pointer}${finding.pointer}` }));
    reportFindings(logger, item.file, item.document.withPlaces(findings));
    if (compiled.ok) await this.#accept(key, orb, compiled.value);
    else await this.#keepLast(key, orb);
  }

  async #accept(key: string, { namespace, name }: OrbDocument, compiled: CompiledOrb): Promise<void> {
    const { ledger, logger } = this.#deps;
    await ledger.putManifest(namespace, compiled.digest, compiled.jcs);
    await ledger.putState(STATE_KIND, key, JSON.stringify({ digest: compiled.digest }));
    this.#publish(name, compiled);
    logger.info('Orb loaded', { orb_id: compiled.orbId, namespace, digest: compiled.digest });
  }

  #publish(name: string, compiled: CompiledOrb): void {
    const { namespace, orbId, order, manifest } = compiled;
    this.#deps.catalog.setOrb({ namespace, name, orbId, compiled, createdAt: 0 });
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
    const compiled = await this.#lastValid(key, namespace);
    const named = typeof manifest['orb_id'] === 'string' ? parseOrbId(manifest['orb_id']) : undefined;
    const orbId = compiled?.orbId ?? (named?.ok === true ? named.value.id : undefined);
    if (compiled !== undefined) this.#publish(name, compiled);
    else if (orbId !== undefined) catalog.setOrb({ namespace, name, orbId, compiled, createdAt: 0 });
    if (compiled !== undefined) logger.warn('the last valid version runs on', { orb: key, digest: compiled.digest });
  }

  async #lastValid(key: string, namespace: string): Promise<CompiledOrb | undefined> {
    const { ledger, allowedOrigins } = this.#deps;
    const state = parseText((await ledger.state(STATE_KIND, key)) ?? 'null');
    const digest = isJsonObject(state) ? state['digest'] : undefined;
    const text = typeof digest === 'string' && isDigest(digest) ? await ledger.manifest(namespace, digest) : undefined;
    const compiled = text === undefined ? undefined : compileOrb(parseText(text), { namespace, allowedOrigins });
    return compiled?.ok === true ? compiled.value : undefined;
  }

  async #remove(key: string, orb: OrbDocument): Promise<void> {
    const { namespace, name } = orb;
    const { orb_id: orbId } = orb.manifest;
    this.#deps.catalog.removeOrb(namespace, name);
    if (typeof orbId === 'string') this.#deps.metrics.removeOrb(namespace, orbId);
    await this.#deps.ledger.deleteState(STATE_KIND, key);
    this.#deps.logger.info('Orb removed', { orb: key });
  }
}
