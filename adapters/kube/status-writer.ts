import { isJsonObject } from '../../core/json/json-value.ts';
import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import { jsonEqual } from './json-equal.ts';
import type { OwnWrites } from './own-writes.ts';
import { KubeError, type Kind, type KubeClient, type Store } from './port.ts';

/**
 * One writer of one concern of a kind's status (security.md §6.1). No two owners of a kind share a member or condition.
 */
export interface StatusOwner {
  readonly kind: Kind;
  readonly fieldManager: string;
  /** Members of `status` that this owner owns as a whole; `conditions` is not one of them. */
  readonly members: readonly string[];
  /** Types of the conditions that this owner owns. */
  readonly conditions: readonly string[];
  /** The store that the objects come from; it is given the answers. */
  readonly store: Pick<Store, 'offer'>;
  readonly writes?: Pick<OwnWrites, 'note'>;
}

export type StatusWriteResult =
  /** The API server has stored it. Events may report it now. */
  | 'written'
  /** The cached object says the same: no request. */
  | 'unchanged'
  /** The object no longer exists. */
  | 'gone';

export interface StatusWriter {
  /**
   * Makes the owner's part of the status equal to `status` (operator.md A9). An owned member or condition that `status`
   * leaves out is removed. The write names the resourceVersion of `object`.
   * @param object from the owner's store, as it was read when the status was decided
   * @param status members and `conditions` of this owner only
   * @throws KubeError 409: the object changed meanwhile, decide again
   * @throws TypeError the status holds something that is not the owner's
   */
  readonly write: (
    owner: StatusOwner,
    object: KubeObject,
    status: object,
    signal: AbortSignal,
  ) => Promise<StatusWriteResult>;
  /**
   * Moves the owner's part of the stored status from a manager of an earlier version to the owner's own. No value of the
   * part changes. First both managers own the part, then the former one owns nothing. So a process that ends in between
   * loses nothing, and the next call finishes the work. What only the former manager owned outside the part is removed.
   * The store has the result then. An object that no longer exists is left alone.
   * @param object from the owner's store
   * @throws KubeError 409: the object changed meanwhile, begin again
   */
  readonly takeOver: (
    owner: StatusOwner,
    object: KubeObject,
    formerManager: string,
    signal: AbortSignal,
  ) => Promise<void>;
}

interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'apply'>;
  /** Throws when this process may not write (operator.md A8). */
  readonly assertLeading: () => void;
}

type Members = Readonly<Record<string, unknown>>;

/** A condition without a type has no owner. */
const typeOf = (condition: unknown): string => {
  const type = isJsonObject(condition) ? condition['type'] : undefined;
  return typeof type === 'string' ? type : '';
};

const itemsOf = (conditions: unknown): readonly unknown[] => (Array.isArray(conditions) ? conditions : []);

const byType = (conditions: readonly unknown[]): Members =>
  Object.fromEntries(conditions.map((condition) => [typeOf(condition), condition]));

type Owned = Pick<StatusOwner, 'members' | 'conditions'>;

/** The part of a status that the owner may have written, whatever shape is stored. */
function storedPart(status: unknown, { members, conditions }: Owned): Members {
  const all: Members = isJsonObject(status) ? status : {};
  const owned = itemsOf(all['conditions']).filter((condition) => conditions.includes(typeOf(condition)));
  const kept = Object.entries(all).filter(([name]) => members.includes(name));
  return { ...Object.fromEntries(kept), ...(owned.length === 0 ? {} : { conditions: owned }) };
}

/** The part of a status to compare: the order of conditions doesn't matter. */
function ownedPart(status: unknown, owned: Owned): Members {
  const part = storedPart(status, owned);
  return { ...part, conditions: byType(itemsOf(part['conditions'])) };
}

/** An undeclared member would never be removed, and could belong to another manager. */
function checkOwned(status: Members, { fieldManager, members, conditions }: StatusOwner): void {
  const foreign = [
    ...Object.keys(status).filter(
      (name) => name !== 'conditions' && !members.includes(name) && status[name] !== undefined,
    ),
    ...itemsOf(status['conditions'])
      .map(typeOf)
      .filter((type) => !conditions.includes(type)),
  ];
  if (foreign.length > 0) throw new TypeError(`${fieldManager} does not own ${foreign.join(', ')} of the status`);
}

const isMissing = (error: unknown): boolean => error instanceof KubeError && error.status === 404;

/**
 * Whether the owner's part of the status differs from `status`, so that `write` would call the API server.
 * @param object from the owner's store
 */
export const statusDiffers = (owner: Owned, object: KubeObject, status: object): boolean =>
  !jsonEqual(ownedPart(object.status, owner), ownedPart({ ...status }, owner));

export function createStatusWriter({ client, assertLeading }: StatusWriterOptions): StatusWriter {
  /** @param status absent: the manager owns nothing from then on */
  const send = async (
    { kind, fieldManager, store, writes }: Pick<StatusOwner, 'kind' | 'fieldManager' | 'store' | 'writes'>,
    { apiVersion, kind: name, metadata }: KubeObject,
    status: Members | undefined,
    signal: AbortSignal,
  ): Promise<KubeObject> => {
    const { name: objectName, namespace, resourceVersion } = metadata;
    if (resourceVersion === undefined) throw new TypeError('an object without resourceVersion is from no store');
    const target = { name: objectName, ...(namespace === undefined ? {} : { namespace }), resourceVersion };
    assertLeading();
    const object = { apiVersion, kind: name, metadata: target, ...(status === undefined ? {} : { status }) };
    const answer = await client.apply(kind, object, { fieldManager, subresource: 'status' }, signal);
    store.offer(answer);
    const { resourceVersion: written } = answer.metadata;
    if (written !== undefined) writes?.note(keyOf(metadata), written);
    return answer;
  };

  const write: StatusWriter['write'] = async (owner, object, status, signal) => {
    const wanted: Members = { ...status };
    checkOwned(wanted, owner);
    if (!statusDiffers(owner, object, wanted)) return 'unchanged';
    try {
      await send(owner, object, wanted, signal);
      return 'written';
    } catch (error) {
      if (isMissing(error)) return 'gone';
      throw error;
    }
  };

  const takeOver: StatusWriter['takeOver'] = async (owner, object, formerManager, signal) => {
    try {
      const stored = storedPart(object.status, owner);
      const shared = await send(owner, object, Object.keys(stored).length === 0 ? undefined : stored, signal);
      await send({ ...owner, fieldManager: formerManager }, shared, undefined, signal);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  };
  return { write, takeOver };
}
