import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError, type KubeClient } from '../../adapters/kube/port.ts';
import { isTimeout, within } from '../../adapters/kube/within.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { FailoverPin } from '../../core/failover/types.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { API_MANAGER, failoverPinIn, pinOf } from '../../core/orb/plan-pin.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf } from '../../core/reconcile/read-object.ts';
import type { NewPin, PinUnavailable, OrbPlace, PinRemoved, PinSet, PinStore } from './port.ts';

export interface ObjectPinsDeps {
  readonly client: Pick<KubeClient, 'get' | 'apply' | 'patch'>;
  readonly clock: Clock;
  /** A field manager that never writes the same pin again; default: absent. */
  readonly writesOnce?: string;
}

/** A person waits for the answer, and can repeat the request. */
const LIMIT_MS = 5000;
const TRIES = 3;

/** Other owners of a field of `spec.pin` beside this API, without duplicates (failover.md §9.2). */
function othersOf({ metadata }: KubeObject, { writesOnce }: Call): readonly string[] {
  const owners = (metadata.managedFields ?? []).flatMap((entry): readonly string[] => {
    if (!isJsonObject(entry)) return [];
    const { manager, fieldsV1 } = entry;
    const spec = isJsonObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    const owns = isJsonObject(spec) && Object.hasOwn(spec, 'f:pin');
    return owns && typeof manager === 'string' ? [manager] : [];
  });
  return [...new Set(owners)].filter((manager) => manager !== API_MANAGER && manager !== writesOnce);
}

const pinIn = (orb: KubeObject): FailoverPin | undefined => failoverPinIn(orb) ?? undefined;

const hasPin = (orb: KubeObject): boolean => specOf(orb)['pin'] !== undefined;

/**
 * The uid makes the server refuse an Orb that was deleted meanwhile. Otherwise an Orb with only a pin would be created.
 */
const applied = (orb: KubeObject, spec: JsonObject): Parameters<KubeClient['apply']>[1] => {
  const { name, namespace = '', uid = '' } = orb.metadata;
  return { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name, namespace, uid }, spec };
};

interface Call extends Pick<ObjectPinsDeps, 'writesOnce'> {
  readonly client: ObjectPinsDeps['client'];
  readonly signal: AbortSignal;
}

/** A client that remembers whether something may have been written. */
class RecordingClient implements Pick<KubeClient, 'get' | 'apply' | 'patch'> {
  readonly #client: ObjectPinsDeps['client'];
  #hasWritten = false;

  constructor(client: ObjectPinsDeps['client']) {
    this.#client = client;
  }

  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  readonly get: KubeClient['get'] = (...call) => this.#client.get(...call);

  readonly apply: KubeClient['apply'] = (...call) => this.#writing(this.#client.apply(...call));

  readonly patch: KubeClient['patch'] = (...call) => this.#writing(this.#client.patch(...call));

  /** After a refusal nothing was written. After any other fault, the write may have happened. */
  async #writing<T>(write: Promise<T>): Promise<T> {
    try {
      const written = await write;
      this.#hasWritten = true;
      return written;
    } catch (error) {
      this.#hasWritten ||= isUnanswered(error);
      throw error;
    }
  }
}

const readOrb = ({ client, signal }: Call, { namespace, name }: OrbPlace): Promise<KubeObject | undefined> =>
  client.get(KINDS.orb, { namespace, name }, signal);

/**
 * A forced apply keeps foreign fields that this pin lacks. The reason of another writer does not belong to this pin.
 */
async function dropForeignReason(orb: KubeObject, pin: NewPin, { client, signal }: Call): Promise<void> {
  const { name, namespace = '' } = orb.metadata;
  if (pin.reason !== undefined || pinOf(orb)?.reason === undefined) return;
  const body = [
    { op: 'test', path: '/spec/pin/id', value: pin.id },
    { op: 'remove', path: '/spec/pin/reason' },
  ];
  try {
    await client.patch(KINDS.orb, { namespace, name }, { type: 'json', body, fieldManager: API_MANAGER }, signal);
  } catch (error) {
    // A failed `test` has the status of any patch that can't be applied: another pin is there by now.
    if (!isUnprocessable(error)) throw error;
  }
}

async function setPin(call: Call, place: OrbPlace, pin: NewPin): Promise<PinSet> {
  const before = await readOrb(call, place);
  if (before === undefined) return { kind: 'gone' };
  const { client, signal } = call;
  const wanted = applied(before, { pin: { ...pin } });
  const after = await client.apply(KINDS.orb, wanted, { fieldManager: API_MANAGER, force: true }, signal);
  await dropForeignReason(after, pin, call);
  return { kind: 'set', replaced: pinIn(before), owners: othersOf(before, call) };
}

/** Removes only the pin that was read: the patch tests its id, or the whole pin when it has no id. */
function removal(orb: KubeObject): readonly JsonObject[] {
  const pin = specOf(orb)['pin'] ?? null;
  const id = isJsonObject(pin) ? pin['id'] : undefined;
  const test: JsonObject =
    id === undefined ? { op: 'test', path: '/spec/pin', value: pin } : { op: 'test', path: '/spec/pin/id', value: id };
  return [test, { op: 'remove', path: '/spec/pin' }];
}

/** Removes the fields that this API owns. The server refuses this when a remaining pin lacks required members. */
async function applyNothing(orb: KubeObject, { client, signal }: Call): Promise<KubeObject> {
  try {
    return await client.apply(KINDS.orb, applied(orb, {}), { fieldManager: API_MANAGER, force: true }, signal);
  } catch (error) {
    if (isUnprocessable(error)) return orb;
    throw error;
  }
}

/** @returns undefined: another pin is there by now */
async function removeOthers(orb: KubeObject, { client, signal }: Call): Promise<KubeObject | undefined> {
  const { name, namespace = '' } = orb.metadata;
  const patch = { type: 'json', body: removal(orb), fieldManager: API_MANAGER } as const;
  try {
    return await client.patch(KINDS.orb, { namespace, name }, patch, signal);
  } catch (error) {
    // Here too, the `test` failed.
    if (isUnprocessable(error)) return undefined;
    throw error;
  }
}

async function removePin(call: Call, place: OrbPlace): Promise<PinRemoved> {
  const before = await readOrb(call, place);
  if (before === undefined) return { kind: 'gone' };
  const nothing = { kind: 'removed', removed: pinIn(before), left: undefined, owners: [] } as const;
  if (!hasPin(before)) return nothing;
  const rest = await applyNothing(before, call);
  if (!hasPin(rest)) return nothing;
  const owners = othersOf(rest, call);
  if ((await removeOthers(rest, call)) !== undefined) return { ...nothing, owners };
  const now = await readOrb(call, place);
  return { kind: 'removed', removed: undefined, left: now === undefined ? undefined : pinIn(now), owners };
}

const isUnprocessable = (error: unknown): boolean => error instanceof KubeError && error.status === 422;

const isUnanswered = (error: unknown): boolean =>
  isTimeout(error) ||
  (error instanceof KubeError && (error.status === 0 || error.status === 429 || error.status >= 500));

function noPin(error: unknown, maybe: boolean): PinUnavailable {
  if (isUnanswered(error)) return { kind: 'away', maybe };
  if (error instanceof KubeError && error.status === 404) return { kind: 'gone' };
  throw error;
}

const isConflict = (error: unknown): boolean => error instanceof KubeError && error.status === 409;

/** Repeats the work when the Orb was deleted and created again between read and write. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

/** Pins in objects: `Orb.spec.pin`, written by server-side apply as `orb-api-pin` (failover.md §8, §9). */
export function createObjectPins({ client, clock, ...own }: ObjectPinsDeps): PinStore {
  const limit = { clock, ms: LIMIT_MS, what: 'the Kubernetes API' };
  // A change is not aborted when the caller goes away: it happens completely or not at all.
  const never = new AbortController().signal;
  const run = async <T>(work: (call: Call) => Promise<T>): Promise<T | PinUnavailable> => {
    const noting = new RecordingClient(client);
    try {
      return await within(limit, never, (signal) => again(() => work({ ...own, client: noting, signal })));
    } catch (error) {
      return noPin(error, noting.hasWritten);
    }
  };
  return {
    set: (orb, pin) => run((call) => setPin(call, orb, pin)),
    remove: (orb) => run((call) => removePin(call, orb)),
  };
}
