import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { sha256Hex } from '../../adapters/keys/primitives.ts';
import type { ReceiptTotals } from '../../core/ingestion/incidents/corroborate.ts';
import type { IncidentWithUpdates, Ledger, ReceiptWindow, StoredSignal } from '../../adapters/ledger/port.ts';
import { SourceIndex } from '../../api-server/ingestion/source-index.ts';
import { settleDue } from '../../api-server/ingestion/worker/due-incidents.ts';
import { KnownOrbs } from '../../api-server/ingestion/worker/known-orbs.ts';
import { MapDesk, type MapDeskDeps } from '../../api-server/ingestion/worker/map-desk.ts';
import { mapBatch, type BatchDeps, type BatchResult, type Epoch } from '../../api-server/ingestion/worker/map-batch.ts';
import { NO_PAUSES } from '../../api-server/ingestion/worker/pauses.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { actOn, type IncidentAct } from '../../core/ingestion/incidents/act.ts';
import { followInLog } from '../../core/ingestion/incidents/incident-entry.ts';
import { readIncident } from '../../core/ingestion/incidents/read-incident.ts';
import { incidentChange } from '../../api-server/ingestion/worker/stored-incident.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { PublishedVersion } from '../../core/run/published.ts';
import { aSignalSource, type SourceSpec } from './a-signal-source.ts';
import { seeded } from './seeded.ts';
import type { FakeClock } from './fake-clock.ts';
import { orbManifest } from './orbs.ts';
import { openSqliteFixture } from './sqlite-ledger.ts';

const PLATFORM = 'orb-system';
const HEADERS: readonly (readonly [string, string])[] = [['content-type', 'application/json']];

/** Ingestion over a real ledger, without HTTP: deliveries are accepted as they stand. */
export interface IngestRig {
  readonly ledger: Ledger;
  /** Path of its file. */
  readonly ledgerFile: string;
  readonly clock: FakeClock;
  readonly catalog: MemoryCatalog;
  readonly sources: SourceIndex;
  readonly orbs: KnownOrbs;
  readonly published: Map<string, PublishedVersion>;
  readonly deps: BatchDeps;
  /** What maps: in a process it is in a thread of its own. */
  readonly desk: MapDeskDeps;
  readonly deaths: readonly string[];
  /** What receipts say; a test may put another one in its place. */
  count: (window: ReceiptWindow) => Promise<ReceiptTotals>;
  readonly addOrb: (orbId: string, options?: { readonly namespace?: string; readonly url?: string }) => void;
  /** Digest of the version that runs. */
  readonly catalogDigest: (namespace: string, orbId: string) => string;
  /** What a person does. */
  readonly act: (incidentId: string, act: IncidentAct, tenant?: string) => Promise<void>;
  /** @param name `namespace/name` */
  readonly addSource: (name: string, spec: SourceSpec) => void;
  /** Accepts a delivery. @returns its id */
  readonly deliver: (source: string, body: string, headers?: typeof HEADERS) => Promise<string>;
  /** Maps what waits. */
  readonly map: () => Promise<BatchResult>;
  /** The same with other parts or another lease. */
  readonly mapWith: (other: Partial<BatchDeps>, lease?: Epoch) => Promise<BatchResult>;
  /** The same with other parts of what maps. */
  readonly mapBy: (other: Partial<MapDeskDeps>) => Promise<BatchResult>;
  /** Moves the clock, and settles what became due. */
  readonly pass: (ms: number) => Promise<void>;
  readonly incidents: (tenant?: string) => Promise<readonly IncidentWithUpdates[]>;
  readonly signals: (tenant?: string) => Promise<readonly StoredSignal[]>;
  readonly dispose: () => Promise<void>;
}

function compiledOrb(orbId: string, namespace: string, url: string) {
  const manifest: unknown = JSON.parse(orbManifest(orbId, { url }));
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace, allowedOrigins: [] });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.findings));
  return { orbId: compiled.value.orbId, compiled: compiled.value };
}

export async function anIngestRig(): Promise<IngestRig> {
  const { ledger, clock, options, dispose } = await openSqliteFixture();
  const catalog = new MemoryCatalog();
  const sources = new SourceIndex();
  const published = new Map<string, PublishedVersion>();
  const orbs = new KnownOrbs({
    catalog,
    published: { version: (id) => published.get(id) },
    platformNamespace: PLATFORM,
  });
  const deaths: string[] = [];
  const next = seeded(17);
  const random = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
  const desk: MapDeskDeps = { ledger, orbs, random, pauses: NO_PAUSES };
  const mapper = new MapDesk(desk);
  const deps: BatchDeps = {
    ledger,
    mapper,
    mapperHere: mapper,
    suspects: { untilSeq: 0 },
    sourceOf: (key) => sources.byName(key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)),
    now: clock.now,
    logger: { warn: () => undefined, error: () => undefined },
    died: (reason) => void deaths.push(reason),
  };
  const epoch = (await ledger.acquireLease('ingest-worker', 'test', 3_600_000)) ?? 0;
  const lease = { name: 'ingest-worker', epoch };
  let count = 0;
  const rig: IngestRig = {
    ledger,
    ledgerFile: options.file,
    clock,
    catalog,
    sources,
    orbs,
    published,
    deps,
    desk,
    deaths,
    count: (window) => ledger.receiptTotals(window),
    addOrb: (orbId, { namespace = 'acme', url = 'https://api.sendgrid.com/send' } = {}) =>
      catalog.setOrb({ namespace, name: orbId, createdAt: 0, ...compiledOrb(orbId, namespace, url) }),
    catalogDigest: (namespace, orbId) => orbs.find(namespace, orbId)?.compiled?.digest ?? '',
    act: async (incidentId, act, tenant = 'acme') => {
      const found = await ledger.incident(tenant, incidentId);
      if (found === undefined) throw new Error('no incident');
      const result = actOn(readIncident(found.json), act, { now: clock.now(), by: 'key:test' });
      if (!result.ok) throw new Error(result.detail);
      const { logEntry, ...change } = followInLog(result, clock.now());
      await ledger.changeIncidents([incidentChange(change, found.revision, logEntry)]);
    },
    addSource: (key, spec) => sources.put(aSignalSource(key, spec, PLATFORM)),
    deliver: async (source, body, headers = HEADERS) => {
      count += 1;
      const deliveryId = newId('dlv_', clock.now(), random);
      await ledger.acceptDelivery(
        {
          deliveryId,
          tenant: source.slice(0, source.indexOf('/')),
          source,
          deliveryKey: `sha256:${sha256Hex(`${count}`)}`,
          receivedAt: clock.now(),
          headers: JSON.stringify(Object.fromEntries(headers)),
          raw: Buffer.from(body),
        },
        { perSource: 10_000, inAll: 50_000 },
      );
      return deliveryId;
    },
    map: () => mapBatch(deps, lease),
    mapWith: (other, held = lease) => mapBatch({ ...deps, mapperHere: other.mapper ?? mapper, ...other }, held),
    mapBy: (other) => {
      const changed = new MapDesk({ ...desk, ...other });
      return mapBatch({ ...deps, mapper: changed, mapperHere: changed }, lease);
    },
    pass: async (ms) => {
      await clock.advance(ms);
      const due = {
        ...deps,
        ledger,
        orbs,
        random,
        published: { version: (id: string) => published.get(id) },
        count: rig.count,
      };
      while ((await settleDue(due, lease)) === 'worked');
    },
    incidents: async (tenant = 'acme') => {
      const { items } = await ledger.incidents(tenant, { limit: 200 });
      const found = await Promise.all(items.map(({ incidentId }) => ledger.incident(tenant, incidentId)));
      return found.flatMap((one) => one ?? []);
    },
    signals: async (tenant = 'acme') => (await ledger.signals(tenant, { limit: 200 })).items,
    dispose,
  };
  return rig;
}
