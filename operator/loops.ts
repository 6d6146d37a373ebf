import type { MetricsSource } from '../adapters/failover-metrics/port.ts';
import { createController, type Controller, type ControllerOptions } from '../adapters/kube/controller.ts';
import type { RuntimeMetrics } from '../adapters/kube/kube-metrics.ts';
import type { LeaderTask } from '../adapters/kube/manager.ts';
import { createOwnWrites, type OwnWrites } from '../adapters/kube/own-writes.ts';
import type { Reflector, Store, WorkQueue } from '../adapters/kube/port.ts';
import type { Reflect } from '../adapters/kube/reflect.ts';
import { createStatusWriter, type StatusOwner } from '../adapters/kube/status-writer.ts';
import { createWorkQueue } from '../adapters/kube/work-queue.ts';
import { keyOf } from '../core/reconcile/kube-object.ts';
import type { JudgedManifest } from '../core/orb/plan-manifest.ts';
import type { KubeObject } from '../core/reconcile/kube-object.ts';
import type { Context, Stores } from './kinds/context.ts';
import { createFailoverLoop } from './swap-loop/loop.ts';
import type { Concern, Enqueue, OperatorKind } from './kinds/kind.ts';
import { forEachConcern, forEachKind, OPERATOR_KINDS, type ConcernName, type KindName } from './kinds/kinds.ts';
import { createJudgements } from './kinds/orb/judgements.ts';
import { reconcileFailed, reportFailure, type FailureReport } from './kinds/report-failure.ts';

/** Parts that everything in an operator shares. */
type ContextOptions = Pick<
  Context,
  | 'client'
  | 'recorder'
  | 'assertLeading'
  | 'failover'
  | 'clock'
  | 'allowedOrigins'
  | 'platformNamespace'
  | 'apiAccount'
  | 'vaultMode'
>;

export interface LoopsOptions
  extends Omit<ContextOptions, 'clock'>, Pick<ControllerOptions, 'clock' | 'random' | 'logger'> {
  readonly reflect: Reflect;
  readonly metrics: RuntimeMetrics;
  /** Absent: no provider is swapped by metrics. */
  readonly source: MetricsSource | undefined;
  /** Workers of each controller. */
  readonly workers: number;
  /** Ms from the start of one evaluation of all Orbs to the start of the next. */
  readonly tickMs: number;
  /** Compiles and checks the manifest of an Orb. */
  readonly judge: (orb: KubeObject) => JudgedManifest;
}

/** The control loops of the operator over one API: that of a cluster, or of the local object store. */
export interface Loops {
  readonly reflectors: Readonly<Record<KindName, Reflector>>;
  /** Tasks that only the leader runs. */
  readonly tasks: readonly LeaderTask[];
}

const WRITES_NO_STATUS: Pick<StatusOwner, 'fieldManager' | 'members' | 'conditions'> = {
  fieldManager: 'orb-operator',
  members: [],
  conditions: [],
};

type Kinds<T> = Readonly<Record<KindName, T>>;
type Concerns<T> = Readonly<Record<ConcernName, T>>;

function createWrites({ client, clock }: LoopsOptions, reflectors: Kinds<Reflector>): Kinds<OwnWrites> {
  return forEachKind(({ name, kind, refOf }) => {
    const { store } = reflectors[name];
    return createOwnWrites({ client, kind, store, clock, ...(refOf === undefined ? {} : { refOf }) });
  });
}

/** Writers of the operator's parts of the statuses, divided as in security.md §6.1. */
const ownersOf = (stores: Stores, writes: Kinds<OwnWrites>): Context['owners'] =>
  forEachConcern(({ status = WRITES_NO_STATUS }, { name, kind }) => ({
    ...status,
    kind,
    store: stores[name],
    writes: writes[name],
  }));

/** Makes the context of every reconcile. */
export function createContext(
  options: ContextOptions,
  { stores, writes, judgements }: Pick<Context, 'stores' | 'judgements'> & { readonly writes: Kinds<OwnWrites> },
): Context {
  const { client, assertLeading } = options;
  return {
    ...options,
    stores,
    judgements,
    owners: ownersOf(stores, writes),
    writer: createStatusWriter({ client, assertLeading }),
    bindingWrites: writes.roleBinding,
    leftSince: new WeakMap(),
  };
}

/** Failures are reported on the object that the key names. */
const onItself = (store: Store): FailureReport => ({
  objectsOf: (key) => [store.get(key)].filter((object) => object !== undefined),
  eventOf: (_, error) => reconcileFailed(error),
});

interface ControllerParts {
  readonly context: Context;
  readonly queues: Concerns<WorkQueue>;
  readonly writes: Kinds<OwnWrites>;
}

function controllerOf(
  { kind, concern }: { readonly kind: OperatorKind<KindName, ConcernName>; readonly concern: Concern<ConcernName> },
  { context, queues, writes }: ControllerParts,
  { workers, ...options }: LoopsOptions,
): Controller {
  const { stores, recorder } = context;
  const store = stores[kind.name];
  const { keys, reconcile, failure } = concern;
  const { clock, random, logger, metrics } = options;
  return createController({
    clock,
    random,
    logger,
    metrics,
    name: concern.controller,
    kind: kind.kind.kind,
    workers,
    queue: queues[concern.name],
    keys: () => keys?.(stores) ?? store.list().map(({ metadata }) => keyOf(metadata)),
    writes: [writes[kind.name]],
    reconcile: (key, { signal }) => reconcile(key, context, signal),
    onRepeatedFailure: reportFailure(failure?.(context) ?? onItself(store), recorder),
  });
}

/** Makes queues, caches, controllers and the swap loop. Nothing is read before they run. */
export function createLoops(options: LoopsOptions): Loops {
  const { clock, metrics, logger, reflect, failover, source, tickMs, platformNamespace, apiAccount, vaultMode } =
    options;
  const queues = forEachConcern(({ controller }) => createWorkQueue({ name: controller, clock, metrics }));
  const judgements = createJudgements(options.judge);
  const forget = (key: string): void => {
    judgements.forget(key);
    failover.orbs.forget(key);
  };
  const placement = { platformNamespace, apiAccount, vaultMode };
  const enqueue = (): Enqueue => ({ ...placement, queues, stores, forget });
  const reflectors = forEachKind(({ kind, indexes, cached, changed }) =>
    reflect({
      kind,
      ...(indexes === undefined ? {} : { indexes }),
      ...cached?.(placement),
      onChange: (change) => changed(change, enqueue()),
    }),
  );
  const stores: Stores = forEachKind(({ name }) => reflectors[name].store);
  const writes = createWrites(options, reflectors);
  const context = createContext(options, { stores, writes, judgements });
  const loop = { context, queue: queues.orb, logger, clock, tickMs };
  const controllers = OPERATOR_KINDS.flatMap((kind: OperatorKind<KindName, ConcernName>) =>
    kind.concerns
      .filter(({ isUsed }) => isUsed?.(placement) ?? true)
      .map((concern) => controllerOf({ kind, concern }, { context, queues, writes }, options)),
  );
  return {
    reflectors,
    tasks: [...(source === undefined ? [] : [createFailoverLoop({ ...loop, source })]), ...controllers],
  };
}
