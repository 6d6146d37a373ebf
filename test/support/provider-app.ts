import { randomBytes } from 'node:crypto';
import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { openObjectStore, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import { createObjectPins } from '../../api-server/providers/object-pins.ts';
import { providerRoutes } from '../../api-server/services/providers/service.ts';
import type { StatusDeps } from '../../api-server/services/providers/status-route.ts';
import type { SwapDeps } from '../../api-server/services/providers/swap-route.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { newStatus, readFailoverStatus, writeFailoverStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { compileStored } from '../../core/orb/plan-manifest.ts';
import { API_MANAGER, failoverPinIn } from '../../core/orb/plan-pin.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { statusOf } from '../../core/reconcile/read-object.ts';
import type { Pin } from '../../crds/orb.ts';
import { aCaller, startApp, TEST_NOW, type Called, type CallOptions, type TestApp } from './api-app.ts';
import { createFakeClock } from './fake-clock.ts';
import { recordingLogger } from './kube/recorders.ts';
import { orbManifest } from './orbs.ts';
import { openSqliteFixture, type SqliteFixture } from './sqlite-ledger.ts';

export const MAILER = 'acme.mailer@1.2.0';
const ORIGIN = 'https://api.example.com';

/** `main`, `backup`, and `ghost`, which has no description. */
const SWAP = {
  swap_config: { fallbacks: ['backup', 'ghost'], strategy: 'latency' },
  providers: { backup: { execution: { type: 'http', method: 'POST', url: `${ORIGIN}/backup` } } },
};

/** A status whose active provider is `backup` since an hour, after one swap. */
export const failedOver = (change: Partial<FailoverStatus> = {}): FailoverStatus => ({
  ...newStatus('backup', TEST_NOW - 3_600_000, 'latency'),
  swapSeq: 1,
  history: [
    {
      seq: 1,
      at: TEST_NOW - 3_600_000,
      from: 'main',
      to: 'backup',
      reason: 'latency',
      rule: 'degraded',
      epoch: 1,
      receiptId: 'rcpt_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5b',
      actor: null,
      evidence: null,
    },
  ],
  ...change,
});

/** The provider routes over a catalogue, a real ledger, and a clock that advances only by waiting. */
export interface ProviderApp {
  readonly app: TestApp;
  readonly catalog: MemoryCatalog;
  readonly fixture: SqliteFixture;
  readonly elapse: (ms: number) => void;
  /** Applies an Orb to the object store; the catalogue has it when this resolves. */
  readonly setOrb: (options?: TestOrbOptions) => Promise<void>;
  /** From now on an Orb with a pin has this status, as if the operator had followed the pin. */
  readonly follow: (failover: FailoverStatus) => void;
  readonly call: (
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Called & { readonly json: JsonObject }>;
  readonly close: () => Promise<void>;
}

export interface TestOrbOptions {
  readonly orbId?: string;
  readonly namespace?: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly pin?: Pin;
  readonly failover?: FailoverStatus;
}

export interface TestAppOptions {
  readonly caller?: Caller;
  readonly parts?: Partial<SwapDeps & StatusDeps>;
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

const never = new AbortController().signal;
const newUid = (): string => crypto.randomUUID();

async function applyOrb({ client }: ObjectStore, options: TestOrbOptions = {}): Promise<void> {
  const { orbId = MAILER, namespace = 'acme', manifest = SWAP, pin, failover } = options;
  const value: unknown = JSON.parse(orbManifest(orbId, { url: `${ORIGIN}/main`, manifest }));
  const envelope = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { namespace, name: 'mailer' } };
  await client.apply(KINDS.orb, { ...envelope, spec: objectOf(value) }, { fieldManager: 'kubectl' }, never);
  if (pin !== undefined) {
    const fieldManager = pin.actor === undefined ? 'kubectl-edit' : API_MANAGER;
    await client.apply(KINDS.orb, { ...envelope, spec: { pin: { ...pin } } }, { fieldManager }, never);
  }
  const status = failover === undefined ? {} : { failover: writeFailoverStatus(failover) };
  const asOperator = { fieldManager: 'orb-operator', subresource: 'status' } as const;
  await client.apply(KINDS.orb, { ...envelope, status }, asOperator, never);
}

/** Puts an Orb into the catalogue, as the feed does. */
function show(catalog: MemoryCatalog, orb: KubeObject, followed: FailoverStatus | undefined): void {
  const stored = compileStored(orb, []);
  if (stored.kind === 'invalid') throw new TypeError(stored.message);
  const { namespace = '', name } = orb.metadata;
  const pin = failoverPinIn(orb) ?? undefined;
  const own = readFailoverStatus(statusOf(orb)['failover']) ?? undefined;
  const failover = pin === undefined ? own : (followed ?? own);
  const compiled = { ...stored.orb, pin, failover };
  catalog.setOrb({ namespace, name, orbId: compiled.orbId, compiled, createdAt: 0 });
}

/** @returns the routes with the Orb `acme.mailer@1.2.0` in tenant `acme` */
export async function startProviderApp({ caller, parts = {} }: TestAppOptions = {}): Promise<ProviderApp> {
  const fixture = await openSqliteFixture();
  const catalog = new MemoryCatalog();
  let elapsed = 0;
  const clock = {
    now: () => TEST_NOW + elapsed,
    monotonic: () => elapsed,
    sleep: async (ms: number) => void (elapsed += ms),
  };
  // A separate clock for deadlines of the store and of pins, which tests don't wait for.
  const still = createFakeClock(TEST_NOW);
  const store = await openObjectStore({
    ledger: fixture.ledger,
    clock: still,
    logger: recordingLogger([]),
    newUid,
  });
  let followed: FailoverStatus | undefined;
  const orbs = store.reflect({
    kind: KINDS.orb,
    onChange: ({ after }) => {
      if (after !== undefined) show(catalog, after, followed);
    },
  });
  const ending = new AbortController();
  const reflecting = orbs.run(ending.signal);
  const setOrb = (options?: TestOrbOptions): Promise<void> => applyOrb(store, options);
  await setOrb();
  const routes = providerRoutes({
    catalog,
    clock,
    sha256,
    random: (bytes) => randomBytes(bytes),
    logger: { warn: () => undefined },
    ledger: fixture.ledger,
    pins: createObjectPins({ client: store.client, clock: still }),
    replica: { breakers: () => ({}), cooling: () => ({}), providers: () => ({}) },
    replicaName: 'replica-1',
    lastEvaluation: () => Promise.resolve(undefined),
    ...parts,
  });
  const allowed = caller ?? aCaller({ scopes: new Set(['providers:read', 'providers:swap']) });
  const app = await startApp(routes, { caller: allowed, random: (bytes) => randomBytes(bytes) });
  return {
    app,
    catalog,
    fixture,
    elapse: (ms) => void (elapsed += ms),
    setOrb,
    follow: (failover) => {
      followed = failover;
    },
    call: async (method, path, options) => {
      const called = await app.call(method, path, options);
      return { ...called, json: objectOf(called.value) };
    },
    close: async () => {
      ending.abort();
      await reflecting;
      await app.close();
      await fixture.dispose();
    },
  };
}
