import { randomBytes } from 'node:crypto';
import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { sha256 } from '../../adapters/keys/primitives.ts';
import { providerRoutes } from '../../api-server/providers/provider-routes.ts';
import type { SwapDeps } from '../../api-server/providers/swap-route.ts';
import type { Caller } from '../../core/api-key/caller.ts';
import { newStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import { createLedgerPins } from '../../standalone/failover/ledger-pins.ts';
import type { Pin } from '../../crds/orb.ts';
import { aCaller, startApp, TEST_NOW, type Called, type CallOptions, type TestApp } from './api-app.ts';
import { orbManifest } from './orbs.ts';
import { openSqliteFixture, type SqliteFixture } from './sqlite-ledger.ts';

export const MAILER = 'acme.mailer@1.2.0';
const ORIGIN = 'https://api.example.com';

/** `main`, `backup`, and `ghost` that nothing describes. */
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

/** The provider routes over a catalogue, a real ledger, and time that goes on only by waiting. */
export interface ProviderApp {
  readonly app: TestApp;
  readonly catalog: MemoryCatalog;
  readonly fixture: SqliteFixture;
  readonly elapse: (ms: number) => void;
  readonly setOrb: (options?: OrbWish) => void;
  readonly call: (
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Called & { readonly json: JsonObject }>;
  readonly close: () => Promise<void>;
}

export interface OrbWish {
  readonly orbId?: string;
  readonly namespace?: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
  readonly pin?: Pin;
  readonly failover?: FailoverStatus;
}

export interface AppWish {
  readonly caller?: Caller;
  readonly parts?: Partial<SwapDeps>;
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** @returns the routes with the Orb `acme.mailer@1.2.0` in tenant `acme` */
export async function startProviderApp({ caller, parts = {} }: AppWish = {}): Promise<ProviderApp> {
  const fixture = await openSqliteFixture();
  const catalog = new MemoryCatalog();
  let elapsed = 0;
  const clock = {
    now: () => TEST_NOW + elapsed,
    monotonic: () => elapsed,
    sleep: async (ms: number) => void (elapsed += ms),
  };
  const setOrb: ProviderApp['setOrb'] = ({ orbId = MAILER, namespace = 'acme', manifest = SWAP, ...state } = {}) => {
    const { pin, failover } = state;
    const value: unknown = JSON.parse(orbManifest(orbId, { url: `${ORIGIN}/main`, manifest }));
    if (!isJsonObject(value)) throw new TypeError('no manifest');
    const compiled = compileOrb(value, { namespace, allowedOrigins: [], ...(pin === undefined ? {} : { pin }) });
    if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
    const whole = { ...compiled.value, failover };
    catalog.setOrb({ namespace, name: 'mailer', orbId: compiled.value.orbId, compiled: whole, createdAt: 0 });
  };
  setOrb();
  const routes = providerRoutes({
    catalog,
    clock,
    sha256,
    random: (bytes) => randomBytes(bytes),
    logger: { warn: () => undefined },
    ledger: fixture.ledger,
    pins: await createLedgerPins({ ledger: fixture.ledger, catalog, clock }),
    replica: { breakers: () => ({}), cooling: () => ({}) },
    figures: () => Promise.resolve(undefined),
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
    call: async (method, path, options) => {
      const called = await app.call(method, path, options);
      return { ...called, json: objectOf(called.value) };
    },
    close: async () => {
      await app.close();
      await fixture.dispose();
    },
  };
}
