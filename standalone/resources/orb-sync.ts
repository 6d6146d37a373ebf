import { basename } from 'node:path';
import { ValidOrbs, type ValidOrbsDeps } from '../../adapters/catalog/valid-orbs.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { Resource } from '../../core/manifest/documents.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { explainFindings } from '../../core/reconcile/explain-findings.ts';
import { compileOrb, withState } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { Pin } from '../../crds/orb.ts';
import type { Placed } from './resource-set.ts';

type OrbDocument = Extract<Resource, { kind: 'Orb' }>;

export interface SyncDeps extends ValidOrbsDeps {
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

const LEVELS = { error: 'error', warning: 'warn', info: 'info' } as const satisfies Record<
  Finding['severity'],
  keyof Logger
>;

/** Tells the person who edits the files: one line a finding, with its file and place. */
export function reportFindings(logger: Logger, file: string, findings: readonly Finding[]): void {
  for (const { severity, code, pointer, detail, suggestion, line, column } of findings) {
    const hint = suggestion === undefined || detail.includes(suggestion) ? '' : ` Did you mean "${suggestion}"?`;
    const place = line === undefined ? {} : { line, ...(column === undefined ? {} : { column }) };
    const fields = { file: basename(file), ...place, pointer, code };
    logger[LEVELS[severity]](`${detail}${hint}`, fields);
  }
}

interface Known {
  readonly orb: Pick<OrbDocument, 'namespace' | 'name'>;
  /** Absent: the file of the Orb can't be read since the start, and what it held before runs on. */
  readonly document: OrbDocument | undefined;
}

const keyOf = ({ namespace, name }: Known['orb']): string => `${namespace}/${name}`;

/** Keeps the Orbs of a catalogue equal to the documents of a folder; one bad Orb never stops another. */
export class OrbSync {
  readonly #deps: SyncDeps;
  readonly #valid: ValidOrbs;
  #known: ReadonlyMap<string, Known> | undefined;
  /** Ms since epoch of the look that is being taken over. */
  #lookAt = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
    this.#valid = new ValidOrbs(deps);
  }

  /**
   * Takes the Orbs of one look over: compiles what is new or changed, removes what is gone.
   * @param unread files that could not be read since the start: what they last held runs on
   */
  async update(placed: readonly Placed[], unread: ReadonlySet<string>): Promise<void> {
    if (this.#known === undefined) await this.#valid.open();
    const before: ReadonlyMap<string, Known> = this.#known ?? new Map<string, Known>();
    this.#known = before;
    this.#lookAt = this.#deps.clock.now();
    const next = new Map<string, Known>();
    for (const item of placed) {
      const { resource } = item.document;
      if (resource.kind !== 'Orb') continue;
      const key = keyOf(resource);
      next.set(key, { orb: resource, document: resource });
      if (before.get(key)?.document !== resource) await this.#apply(item, resource);
    }
    await this.#keepUnread(next, new Set([...unread].map((path) => basename(path))));
    for (const [key, { orb }] of before) if (!next.has(key)) await this.#remove(orb);
    this.#known = next;
  }

  /** After a start nobody knows which Orbs an unreadable file holds: those that it held when it was last good. */
  async #keepUnread(next: Map<string, Known>, unread: ReadonlySet<string>): Promise<void> {
    for (const [key, { file }] of this.#valid.lastValid) {
      if (next.has(key) || file === undefined || !unread.has(file)) continue;
      const known = this.#known?.get(key) ?? (await this.#restore(key));
      if (known !== undefined) next.set(key, known);
    }
  }

  async #restore(key: string): Promise<Known | undefined> {
    const slash = key.indexOf('/');
    const orb = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    const compiled = await this.#compileLast(orb);
    if (compiled === undefined) return undefined;
    this.#publish(orb, compiled);
    this.#deps.logger.warn('the last valid version runs on', { orb: key, digest: compiled.digest });
    return { orb, document: undefined };
  }

  async #apply(item: Placed, orb: OrbDocument): Promise<void> {
    const { logger, allowedOrigins } = this.#deps;
    const { namespace, pin } = orb;
    const compiled = compileOrb(orb.manifest, { namespace, allowedOrigins, ...(pin === undefined ? {} : { pin }) });
    const findings = compiled.findings.map((finding) => ({ ...finding, pointer: `${orb.pointer}${finding.pointer}` }));
    reportFindings(logger, item.file, item.document.withPlaces(findings));
    if (compiled.ok) await this.#accept(basename(item.file), orb, compiled.value);
    else await this.#keepLast(orb, findings);
  }

  async #accept(file: string, orb: OrbDocument, compiled: CompiledOrb): Promise<void> {
    const { catalog, logger } = this.#deps;
    const { namespace, name } = orb;
    const { digest, orbId } = compiled;
    await this.#valid.keep(orb, compiled, { file, since: this.#sinceOf(orb) });
    this.#publish(orb, compiled);
    const holder = catalog.orb(namespace, orbId)?.name;
    if (holder === name) logger.info('Orb loaded', { orb_id: orbId, namespace, digest });
    else
      logger.error(`The Orb ${holder ?? ''} holds this orb_id; give this one another.`, {
        file,
        orb: keyOf(orb),
        orb_id: orbId,
        code: 'orb-id-conflict',
      });
  }

  /** When the Orb was first valid; one that is new with this look is as old as the others of the look. */
  #sinceOf(orb: Known['orb']): number {
    return this.#valid.lastValid.get(keyOf(orb))?.since ?? this.#lookAt;
  }

  #publish(orb: Known['orb'], compiled: CompiledOrb): void {
    this.#valid.publish(orb, compiled.orbId, compiled, this.#sinceOf(orb));
  }

  /** The last valid version runs on: the one in memory, or after a restart the one in the ledger. */
  async #keepLast(orb: OrbDocument, findings: readonly Finding[]): Promise<void> {
    const { logger } = this.#deps;
    const { manifest } = orb;
    const key = keyOf(orb);
    if (this.#known?.has(key) === true) {
      logger.warn('the last valid version runs on', { orb: key });
      return;
    }
    const compiled = await this.#compileLast(orb, orb.pin);
    const named = typeof manifest['orb_id'] === 'string' ? parseOrbId(manifest['orb_id']) : undefined;
    if (compiled !== undefined) {
      this.#publish(orb, compiled);
      logger.warn('the last valid version runs on', { orb: key, digest: compiled.digest });
    } else if (named?.ok === true) {
      const errors = findings.filter(({ severity }) => severity === 'error');
      const claim = { orbId: named.value.id, createdAt: this.#lookAt, isValid: false };
      this.#valid.publishAs(orb, { ...claim, fault: explainFindings(errors, '') }, undefined);
    }
  }

  async #compileLast(orb: Known['orb'], pin?: Pin): Promise<CompiledOrb | undefined> {
    const digest = this.#valid.lastValid.get(keyOf(orb))?.digest;
    const compiled = digest === undefined ? undefined : await this.#valid.restore(orb.namespace, digest);
    return compiled === undefined ? undefined : withState(compiled, { pin, failover: compiled.failover });
  }

  async #remove(orb: Known['orb']): Promise<void> {
    await this.#valid.remove(orb);
    this.#deps.logger.info('Orb removed', { orb: keyOf(orb) });
  }
}
