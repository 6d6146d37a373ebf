import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { createOwnWrites } from '../../../adapters/kube/own-writes.ts';
import { createStore } from '../../../adapters/kube/store.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { judgeManifest } from '../../../core/orb/plan-manifest.ts';
import type { Context } from '../../../operator/kinds/context.ts';
import { createFailoverState } from '../../../operator/failover/failover-state.ts';
import { createFailoverGauges, type FailoverGauges } from '../../../operator/failover/gauges.ts';
import { forEachKind } from '../../../operator/kinds/kinds.ts';
import { createJudgements } from '../../../operator/kinds/orb/judgements.ts';
import { reconcileOrb } from '../../../operator/kinds/orb/reconcile.ts';
import { createContext } from '../../../operator/loops.ts';
import { createFakeKubeClient } from '../../../test/support/kube/fake-kube-client.ts';
import { manifestOf } from './healthy-orb.ts';
import { syntheticOrbs } from './synthetic-orbs.ts';

/** The operator's caches and reconcilers, with a counting fake in memory in place of the API server. */
export interface OperatorStub {
  readonly context: Context;
  /** Reconciles every Orb, as after a start. */
  readonly settle: () => Promise<void>;
  /** Number of writes so far. */
  readonly writes: () => number;
}

const { signal } = new AbortController();
const assertLeading = (): void => undefined;

/** @param onTick called when a tick of the swap loop has ended */
export function createOperatorStub(orbs: number, logger: Logger, onTick: () => void): OperatorStub {
  const clock = systemClock;
  const client = createFakeKubeClient();
  const stores = forEachKind(({ kind, indexes = {} }) => createStore({ kind, indexes, clock, logger }));
  const writes = forEachKind(({ name, kind }) => createOwnWrites({ client, kind, store: stores[name], clock }));
  const own = createFailoverGauges(new Registry(), clock);
  const gauges: FailoverGauges = {
    ...own,
    tick: (seconds) => {
      own.tick(seconds);
      onTick();
    },
  };
  const context = createContext(
    {
      client,
      clock,
      assertLeading,
      allowedOrigins: [],
      platformNamespace: 'orb-system',
      apiAccount: 'orb-api',
      vaultMode: 'operator',
      recorder: { record: () => undefined },
      failover: createFailoverState({
        clock,
        random: Math.random,
        randomBytes,
        epoch: () => 1,
        scrapeIntervalMs: 15_000,
        gauges,
      }),
    },
    { stores, writes, judgements: createJudgements((orb) => judgeManifest(orb, [])) },
  );
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
      }
    },
    writes: () => client.requests.filter(({ verb }) => verb === 'apply').length,
  };
}
