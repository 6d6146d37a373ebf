import type { Change, Lane, WorkQueue } from '../adapters/kube/port.ts';
import { keyOf, type KubeObject } from '../core/reconcile/kube-object.ts';
import type { Stores } from './context.ts';
import { listedOrbs, namesOfOrb, orbPlace } from './indexes.ts';
import type { Judgements } from './orb/judgements.ts';

type Adding = Pick<WorkQueue, 'add'>;

/** Keys to look at, by concern. */
export interface Queues {
  readonly orb: Adding;
  readonly failover: Adding;
  readonly orbiset: Adding;
  /** Keys are namespaces. */
  readonly roleBinding: Adding;
  readonly publication: Adding;
}

/** What the reflectors call: each change only says which keys to look at. */
export interface Handlers {
  readonly orb: (change: Change) => void;
  readonly orbiset: (change: Change) => void;
  readonly publication: (change: Change) => void;
  readonly roleBinding: (change: Change) => void;
}

type Indexed = { readonly [Name in 'orb' | 'orbiset']: Pick<Stores['orb'], 'byIndex'> };

/** It came, went, or its spec is another one. */
const isEdit = ({ before, after }: Pick<Change, 'before' | 'after'>): boolean =>
  before === undefined || after === undefined || before.metadata.generation !== after.metadata.generation;

/** What a person did goes first, what only might have changed goes last (operator.md A6). */
function laneOf(change: Change): Lane {
  if (change.initial) return 'low';
  return isEdit(change) ? 'high' : 'normal';
}

const namespaceOf = (change: Change): string => (change.after ?? change.before)?.metadata.namespace ?? '';
const namesOf = (orb: KubeObject | undefined): readonly string[] => (orb === undefined ? [] : namesOfOrb(orb));

/**
 * Names that an Orb may have gained or lost with this change. Which of them it claims depends on whether its manifest is
 * valid, so after an edit it may be any; a status only adds a name or takes one away.
 */
function movedNames({ before, after, initial }: Change): readonly string[] {
  if (initial) return [];
  const [old, next] = [namesOf(before), namesOf(after)];
  if (isEdit({ before, after })) return [...new Set([...old, ...next])];
  return [...old.filter((name) => !next.includes(name)), ...next.filter((name) => !old.includes(name))];
}

/** Whether an owner came or went. */
const isOwnerChange = ({ before, after, initial }: Change): boolean =>
  initial ||
  before?.metadata.uid !== after?.metadata.uid ||
  before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;

const addAll = (queue: Adding, objects: readonly KubeObject[], lane: Lane = 'normal'): void => {
  for (const { metadata } of objects) queue.add(keyOf(metadata), { lane });
};

/**
 * Which keys a change concerns.
 * @param stores asked for at the time of the change: queues exist before reflectors do
 * @param platformNamespace whose Orbs other namespaces may list
 */
export function createHandlers(
  queues: Queues,
  stores: () => Indexed,
  judgements: Pick<Judgements, 'forget'>,
  platformNamespace: string,
): Handlers {
  const orb = (change: Change): void => {
    const lane = laneOf(change);
    if (change.after === undefined) judgements.forget(change.key);
    queues.orb.add(change.key, { lane });
    queues.failover.add(change.key, { lane });
    for (const name of movedNames(change)) {
      const twins = stores().orb.byIndex('orb', orbPlace(namespaceOf(change), name));
      if (name.includes('@'))
        addAll(
          queues.orb,
          twins.filter((twin) => keyOf(twin.metadata) !== change.key),
        );
      addAll(queues.orbiset, stores().orbiset.byIndex('lists', name));
    }
  };
  /** Where an Orb's secrets may go depends on the Orbisets that may run it; a first LIST is of Orbs as well. */
  const runnable = (change: Change): void => {
    if (change.initial || !isEdit(change)) return;
    addAll(queues.orb, stores().orb.byIndex('namespace', namespaceOf(change)), 'low');
    const listed = [change.before, change.after].flatMap((one) => (one === undefined ? [] : listedOrbs(one)));
    for (const name of new Set(listed))
      addAll(queues.orb, stores().orb.byIndex('orb', orbPlace(platformNamespace, name)), 'low');
  };
  const orbiset = (change: Change): void => {
    runnable(change);
    queues.orbiset.add(change.key, { lane: laneOf(change) });
    if (isOwnerChange(change)) queues.roleBinding.add(namespaceOf(change), { lane: laneOf(change) });
  };
  const roleBinding = (change: Change): void => {
    const namespace = namespaceOf(change);
    queues.roleBinding.add(namespace, { lane: laneOf(change) });
    if (!change.initial) addAll(queues.orbiset, stores().orbiset.byIndex('namespace', namespace));
  };
  const publication = (change: Change): void => queues.publication.add(change.key, { lane: laneOf(change) });
  return { orb, orbiset, roleBinding, publication };
}
