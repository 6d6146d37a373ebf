import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { createOwnWrites, type OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Kind } from '../../adapters/kube/port.ts';
import { createStatusWriter } from '../../adapters/kube/status-writer.ts';
import { createStore, type WritableStore } from '../../adapters/kube/store.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from '../../operator/context.ts';
import { BINDING_INDEXES, ORB_INDEXES, ORBISET_INDEXES } from '../../operator/indexes.ts';
import { createJudgements } from '../../operator/orb/judgements.ts';
import { statusOwners } from '../../operator/owners.ts';
import { createFailoverState } from '../../operator/failover/failover-state.ts';
import { createFailoverGauges } from '../../operator/failover/gauges.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFakeKubeClient, type FakeKubeClient, type FakeRequest } from './kube/fake-kube-client.ts';
import { recordingLogger } from './kube/recorders.ts';

const WRITES: ReadonlySet<FakeRequest['verb']> = new Set(['apply', 'patch', 'create', 'update', 'delete']);

/** The operator's reconcilers over a Kubernetes API in memory. */
export interface OperatorContext {
  readonly context: Context;
  readonly client: FakeKubeClient;
  readonly clock: FakeClock;
  /** `apply Orb acme/echo orb-operator`: what was written so far. */
  readonly writes: () => readonly string[];
  /** `Orb/echo Normal Ready`: Events so far. */
  readonly events: readonly string[];
  /** The same as they were given. */
  readonly told: readonly EventSpec[];
  readonly orbWrites: OwnWrites;
  /** The caches hear of everything that the server has. */
  readonly look: () => Promise<void>;
  /** From now on this process does not lead. */
  readonly loseLead: () => void;
}

/** Somebody else leads. */
export class Lost extends Error {}

interface ContextSettings extends Partial<Pick<Context, 'vaultMode'>> {
  /** Of the figures; absent: there are none. */
  readonly scrapeIntervalMs?: number;
  readonly epoch?: number;
  /** Those of another operator in the same cluster. */
  readonly client?: FakeKubeClient;
  readonly clock?: FakeClock;
}

export function operatorContext(settings: ContextSettings = {}): OperatorContext {
  const { clock = createFakeClock(Date.parse('2026-02-01T10:00:00Z')), client = createFakeKubeClient() } = settings;
  const events: string[] = [];
  const told: EventSpec[] = [];
  let leading = true;
  const assertLeading = (): void => {
    if (!leading) throw new Lost('not leading');
  };
  const storeOf = (kind: Kind, indexes = {}): WritableStore =>
    createStore({ kind, indexes, clock, logger: recordingLogger([]), freeze: true });
  const writable = {
    orb: storeOf(KINDS.orb, ORB_INDEXES),
    orbiset: storeOf(KINDS.orbiset, ORBISET_INDEXES),
    publication: storeOf(KINDS.publication),
    roleBinding: storeOf(KINDS.roleBinding, BINDING_INDEXES),
  };
  const writesOf = (kind: Kind, store: WritableStore): ReturnType<typeof createOwnWrites> =>
    createOwnWrites({ client, kind, store, clock });
  const writes = {
    orb: writesOf(KINDS.orb, writable.orb),
    orbiset: writesOf(KINDS.orbiset, writable.orbiset),
    publication: writesOf(KINDS.publication, writable.publication),
  };
  const context: Context = {
    stores: writable,
    owners: statusOwners(writable, writes),
    writer: createStatusWriter({ client, assertLeading }),
    recorder: {
      record: ({ kind, metadata }: KubeObject, specs: readonly EventSpec[]) => {
        told.push(...specs);
        events.push(...specs.map(({ type, reason }) => `${kind}/${metadata.name} ${type} ${reason}`));
      },
    },
    clock,
    judgements: createJudgements([]),
    platformNamespace: 'orb-system',
    vaultMode: settings.vaultMode ?? 'operator',
    allowedOrigins: [],
    client,
    assertLeading,
    failover: createFailoverState({
      clock,
      random: () => 0.5,
      randomBytes: (bytes) => randomBytes(bytes),
      epoch: () => settings.epoch ?? 1,
      scrapeIntervalMs: settings.scrapeIntervalMs,
      gauges: createFailoverGauges(new Registry(), clock),
    }),
    leftSince: new WeakMap(),
    bindingWrites: writesOf(KINDS.roleBinding, writable.roleBinding),
  };
  const { signal } = new AbortController();
  const fill = async (kind: Kind, store: WritableStore): Promise<void> => {
    const { items: objects, resourceVersion } = await client.list(kind, {}, signal);
    store.replace({ objects, resourceVersion, floor: undefined }, false);
  };
  return {
    context,
    client,
    clock,
    events,
    told,
    orbWrites: writes.orb,
    writes: () =>
      client.requests
        .filter(({ verb }) => WRITES.has(verb))
        .map(({ verb, kind, key, fieldManager = '' }) => `${verb} ${kind} ${key} ${fieldManager}`.trimEnd()),
    look: async () => {
      await fill(KINDS.orb, writable.orb);
      await fill(KINDS.orbiset, writable.orbiset);
      await fill(KINDS.publication, writable.publication);
      await fill(KINDS.roleBinding, writable.roleBinding);
    },
    loseLead: () => {
      leading = false;
    },
  };
}
