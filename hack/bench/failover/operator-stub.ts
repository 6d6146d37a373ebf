import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { createOwnWrites } from '../../../adapters/kube/own-writes.ts';
import type { Kind } from '../../../adapters/kube/port.ts';
import { createStatusWriter } from '../../../adapters/kube/status-writer.ts';
import { createStore, type WritableStore } from '../../../adapters/kube/store.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { Context } from '../../../operator/context.ts';
import { createFailoverState } from '../../../operator/failover/failover-state.ts';
import { createFailoverGauges, type FailoverGauges } from '../../../operator/failover/gauges.ts';
import { reconcileFailover } from '../../../operator/failover/reconcile.ts';
import { BINDING_INDEXES, ORB_INDEXES, ORBISET_INDEXES } from '../../../operator/indexes.ts';
import { createJudgements } from '../../../operator/orb/judgements.ts';
import { reconcileOrb } from '../../../operator/orb/reconcile.ts';
import { statusOwners } from '../../../operator/owners.ts';
import { createFakeKubeClient } from '../../../test/support/kube/fake-kube-client.ts';
import { manifestOf } from './healthy-orb.ts';
import { syntheticOrbs } from './synthetic-orbs.ts';

/** The operator's caches and reconcilers; in place of the API server something in memory that counts. */
export interface OperatorStub {
  readonly context: Context;
  /** Reconciles every Orb, as after a start. */
  readonly settle: () => Promise<void>;
  /** What was written so far. */
  readonly writes: () => number;
}

const { signal } = new AbortController();
const assertLeading = (): void => undefined;

/** @param onTick a tick of the swap loop has ended */
export function createOperatorStub(orbs: number, logger: Logger, onTick: () => void): OperatorStub {
  const clock = systemClock;
  const client = createFakeKubeClient();
  const storeOf = (kind: Kind, indexes = {}): WritableStore => createStore({ kind, indexes, clock, logger });
  const stores = {
    orb: storeOf(KINDS.orb, ORB_INDEXES),
    orbiset: storeOf(KINDS.orbiset, ORBISET_INDEXES),
    publication: storeOf(KINDS.publication),
    roleBinding: storeOf(KINDS.roleBinding, BINDING_INDEXES),
  };
  const writesOf = (kind: Kind, store: WritableStore): ReturnType<typeof createOwnWrites> =>
    createOwnWrites({ client, kind, store, clock });
  const writes = {
    orb: writesOf(KINDS.orb, stores.orb),
    orbiset: writesOf(KINDS.orbiset, stores.orbiset),
    publication: writesOf(KINDS.publication, stores.publication),
  };
  const own = createFailoverGauges(new Registry(), clock);
  const gauges: FailoverGauges = {
    ...own,
    tick: (seconds) => {
      own.tick(seconds);
      onTick();
    },
  };
  const context: Context = {
    stores,
    owners: statusOwners(stores, writes),
    writer: createStatusWriter({ client, assertLeading }),
    recorder: { record: () => undefined },
    clock,
    judgements: createJudgements([]),
    platformNamespace: 'orb-system',
    vaultMode: 'operator',
    allowedOrigins: [],
    client,
    assertLeading,
    failover: createFailoverState({
      clock,
      random: Math.random,
      randomBytes,
      epoch: () => 1,
      scrapeIntervalMs: 15_000,
      gauges,
    }),
    leftSince: new WeakMap(),
    bindingWrites: writesOf(KINDS.roleBinding, stores.roleBinding),
  };
  const keys = syntheticOrbs(orbs).map(({ namespace, orbId }) => {
    const name = orbId.replace('@', '-');
    const spec = manifestOf(orbId);
    stores.orb.put(
      client.put(KINDS.orb, { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name, namespace }, spec }),
    );
    return `${namespace}/${name}`;
  });
  return {
    context,
    settle: async () => {
      for (const key of keys) {
        await reconcileOrb(key, context, signal);
        await reconcileFailover(key, context, signal);
      }
    },
    writes: () => client.requests.filter(({ verb }) => verb === 'apply').length,
  };
}
