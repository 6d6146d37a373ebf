import { randomUUID } from 'node:crypto';
import { KINDS } from '../adapters/kube/kinds.ts';
import type { AppliedObject, KubeClient } from '../adapters/kube/port.ts';
import type { Ledger } from '../adapters/ledger/port.ts';
import type { Logger } from '../adapters/telemetry/port.ts';
import type { Clock } from '../adapters/time/clock.ts';
import { ANY_PIN, pinAnnotationOf, migratedAnnotations } from '../core/files/file-object.ts';
import { isJsonObject, type JsonObject } from '../core/json/json-value.ts';
import { readJson } from '../core/manifest/read-json.ts';
import { API_MANAGER } from '../core/orb/plan-pin.ts';
import { FILE_PINS, FILES } from './files/file-writer.ts';
import { forEachConcurrently } from './files/for-each-concurrently.ts';
import {
  olderFailover,
  olderOrb,
  olderOrbiset,
  olderPin,
  type OlderFailover,
  type OlderOrb,
  type OlderOrbiset,
  type OlderPin,
  VALID_ORB,
  VALID_ORBISET,
} from './older-rows.ts';

export interface TakeOverOptions {
  readonly ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState' | 'manifest'>;
  readonly client: Pick<KubeClient, 'get' | 'create' | 'apply'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

interface Parts extends TakeOverOptions {
  /** Keyed by `namespace/orb_id`. */
  readonly failovers: ReadonlyMap<string, OlderFailover>;
  readonly pins: ReadonlyMap<string, OlderPin>;
}

const never = new AbortController().signal;
const API_VERSION = 'orbs.dev/v1alpha1';

/**
 * Creates an object if it does not exist. An existing object was made by a start that was killed before it had
 * finished.
 * @returns the uid of the object
 */
async function createOnce({ client }: Parts, kind: typeof KINDS.orb, object: AppliedObject): Promise<string> {
  const { name = '', namespace = '' } = object.metadata;
  const found = (await client.get(kind, { name, namespace }, never)) ?? (await client.create(kind, object, never));
  return found.metadata.uid ?? '';
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

async function manifestOf({ ledger }: Parts, { namespace, digest }: OlderOrb): Promise<JsonObject | undefined> {
  const text = await ledger.manifest(namespace, digest);
  const read = text === undefined ? undefined : readJson(Buffer.from(text));
  return read?.ok === true && isJsonObject(read.value) ? read.value : undefined;
}

type Apply = (fieldManager: string, members: object) => Promise<unknown>;

/**
 * Takes over a pin. An API pin overrides the file's current pin. A pin that the API removed stays removed, although the
 * file still has it.
 */
async function migratePin(apply: Apply, pin: OlderPin, metadata: object): Promise<void> {
  const annotations = pinAnnotationOf(pin.kind === 'removed' ? pin.id : ANY_PIN);
  await apply(FILE_PINS, { metadata: { ...metadata, annotations } });
  if (pin.kind === 'set') await apply(API_MANAGER, { spec: { pin: pin.pin } });
}

const ENVELOPE = { apiVersion: API_VERSION, kind: 'Orb' };

interface Taken {
  readonly orb: OlderOrb;
  readonly spec: JsonObject;
  readonly failover: OlderFailover | undefined;
  readonly pin: OlderPin | undefined;
}

/** The status that the operator had written for the Orb. */
function takenStatusOf({ orb, spec, failover }: Taken): JsonObject {
  const { orb_id: orbId = '', provider = '' } = spec;
  const { digest } = orb;
  const lastValid = { digest, orbId, providers: [provider] };
  return { validDigest: digest, lastValid, ...(failover === undefined ? {} : { failover: failover.status }) };
}

/**
 * Creates an Orb with the uid under which its swaps were counted. Then applies the parts of files and API with their
 * own field managers.
 * @returns the uid of the object
 */
async function makeOrb(parts: Parts, taken: Taken): Promise<string> {
  const { orb, spec, failover, pin } = taken;
  const { namespace, name, since, file } = orb;
  const metadata = { name, namespace };
  const identity = { ...metadata, uid: failover?.uid ?? randomUUID(), creationTimestamp: isoOf(since) };
  const uid = await createOnce(parts, KINDS.orb, { ...ENVELOPE, metadata: identity, spec });
  const apply: Apply = (fieldManager, members) =>
    parts.client.apply(KINDS.orb, { ...ENVELOPE, metadata, ...members }, { fieldManager, force: true }, never);
  await apply(FILES, { metadata: { ...metadata, annotations: migratedAnnotations(file) }, spec });
  if (pin !== undefined) await migratePin(apply, pin, metadata);
  const asOperator = { fieldManager: 'orb-operator', force: true, subresource: 'status' } as const;
  await parts.client.apply(KINDS.orb, { ...ENVELOPE, metadata, status: takenStatusOf(taken) }, asOperator, never);
  return uid;
}

async function migrateOrb(parts: Parts, orb: OlderOrb): Promise<void> {
  const { ledger, failovers, pins, logger } = parts;
  const { namespace, name, digest, since } = orb;
  const [key, spec] = [`${namespace}/${name}`, await manifestOf(parts, orb)];
  if (spec === undefined) {
    logger.warn('an Orb of an older data folder has no manifest any more', { orb: key, digest });
    return ledger.deleteState(VALID_ORB, key);
  }
  const place = `${namespace}/${typeof spec['orb_id'] === 'string' ? spec['orb_id'] : ''}`;
  const uid = await makeOrb(parts, { orb, spec, failover: failovers.get(place), pin: pins.get(place) });
  // From now on this is a current row, and the next start leaves it alone.
  await ledger.putState(VALID_ORB, key, JSON.stringify({ digest, since, uid }));
}

async function migrateOrbiset(parts: Parts, { namespace, name, spec, file }: OlderOrbiset): Promise<void> {
  const { client, ledger } = parts;
  const object = { apiVersion: API_VERSION, kind: 'Orbiset', spec };
  const uid = await createOnce(parts, KINDS.orbiset, { ...object, metadata: { name, namespace } });
  const metadata = { name, namespace, annotations: migratedAnnotations(file) };
  await client.apply(KINDS.orbiset, { ...object, metadata }, { fieldManager: FILES, force: true }, never);
  const document = { kind: 'Orbiset', namespace, name, spec };
  await ledger.putState(VALID_ORBISET, `${namespace}.${name}`, JSON.stringify({ document, uid }));
}

/** Rows of one kind, parsed; unreadable rows are left out. */
async function rowsOf<T>(
  { ledger }: TakeOverOptions,
  kind: string,
  parse: (json: string, key: string) => T | undefined,
): Promise<ReadonlyMap<string, T>> {
  const rows = await ledger.states(kind);
  return new Map(
    rows.flatMap(({ key, json }) => {
      const value = parse(json, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

async function forget({ ledger }: TakeOverOptions, kind: string): Promise<void> {
  for (const { key } of await ledger.states(kind)) await ledger.deleteState(kind, key);
}

/**
 * Converts rows of an older version into objects, once. Uids and numbers of swaps stay, so no swap gets a second
 * receipt (operator.md A16). If a start is killed meanwhile, the next start repeats it.
 * @throws LedgerError the next start tries again
 */
export async function takeOverOlderRows(options: TakeOverOptions): Promise<void> {
  const { clock, logger } = options;
  const now = clock.now();
  const [orbs, orbisets, failovers, pins] = await Promise.all([
    rowsOf(options, VALID_ORB, (json, key) => olderOrb(key, json)),
    rowsOf(options, VALID_ORBISET, olderOrbiset),
    rowsOf(options, 'failover', olderFailover),
    rowsOf(options, 'pin', (json) => olderPin(json, now)),
  ]);
  const parts = { ...options, failovers, pins };
  await forEachConcurrently([...orbs.values()], (orb) => migrateOrb(parts, orb));
  await forEachConcurrently([...orbisets.values()], (orbiset) => migrateOrbiset(parts, orbiset));
  await forget(options, 'failover');
  await forget(options, 'pin');
  if (orbs.size + orbisets.size > 0)
    logger.info('taken over from an older version', { orbs: orbs.size, orbisets: orbisets.size });
}
