import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { createOwnWrites, type OwnWrites } from '../../adapters/kube/own-writes.ts';
import type { Kind } from '../../adapters/kube/port.ts';
import { createStore, type WritableStore } from '../../adapters/kube/store.ts';
import { judgeManifest } from '../../core/orb/plan-manifest.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Context } from '../../operator/kinds/context.ts';
import { forEachKind, OPERATOR_KINDS } from '../../operator/kinds/kinds.ts';
import { createJudgements } from '../../operator/kinds/orb/judgements.ts';
import { createContext } from '../../operator/loops.ts';
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
  /** Writes so far: `apply Orb acme/echo orb-operator`. */
  readonly writes: () => readonly string[];
  /** `Orb/echo Normal Ready`: Events so far. */
  readonly events: readonly string[];
  /** The Events as they were given. */
  readonly reported: readonly EventSpec[];
  readonly orbWrites: OwnWrites;
  /** Updates the caches with everything that the server has. */
  readonly syncCaches: () => Promise<void>;
  /** From now on this process is not the leader. */
  readonly loseLead: () => void;
}

/** Another process is the leader. */
export class LostLead extends Error {}

interface ContextSettings extends Partial<Pick<Context, 'vaultMode'>> {
  /** Scrape interval of the metrics; absent: no metrics. */
  readonly scrapeIntervalMs?: number;
  readonly epoch?: number;
  /** The client of another operator in the same cluster. */
  readonly client?: FakeKubeClient;
  readonly clock?: FakeClock;
}

export function operatorContext(settings: ContextSettings = {}): OperatorContext {
  const { clock = createFakeClock(Date.parse('2026-02-01T10:00:00Z')), client = createFakeKubeClient() } = settings;
  const events: string[] = [];
  const reported: EventSpec[] = [];
  let leading = true;
  const assertLeading = (): void => {
    if (!leading) throw new LostLead('not leading');
  };
  const writable = forEachKind(({ kind, indexes = {} }) =>
    createStore({ kind, indexes, clock, logger: recordingLogger([]), freeze: true }),
  );
  const writes = forEachKind(({ name, kind }) => createOwnWrites({ client, kind, store: writable[name], clock }));
  const names = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
  const shared = { client, clock, assertLeading, ...names, allowedOrigins: [] };
  const context = createContext(
    {
      ...shared,
      vaultMode: settings.vaultMode ?? 'operator',
      recorder: {
        record: ({ kind, metadata }: KubeObject, specs: readonly EventSpec[]) => {
          reported.push(...specs);
          events.push(...specs.map(({ type, reason }) => `${kind}/${metadata.name} ${type} ${reason}`));
        },
      },
      failover: createFailoverState({
        clock,
        random: () => 0.5,
        randomBytes: (bytes) => randomBytes(bytes),
        epoch: () => settings.epoch ?? 1,
        scrapeIntervalMs: settings.scrapeIntervalMs,
        gauges: createFailoverGauges(new Registry(), clock),
      }),
    },
    { stores: writable, writes, judgements: createJudgements((orb) => judgeManifest(orb, [])) },
  );
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
    reported,
    orbWrites: writes.orb,
    writes: () =>
      client.requests
        .filter(({ verb }) => WRITES.has(verb))
        .map(({ verb, kind, key, fieldManager = '' }) => `${verb} ${kind} ${key} ${fieldManager}`.trimEnd()),
    syncCaches: async () => {
      for (const { name, kind } of OPERATOR_KINDS) await fill(kind, writable[name]);
    },
    loseLead: () => {
      leading = false;
    },
  };
}
