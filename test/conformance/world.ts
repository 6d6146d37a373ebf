import type { Socket } from 'node:net';
import { createDialer, type DialerOptions } from '../../adapters/egress/dialer.ts';
import type { Dialer } from '../../adapters/egress/port.ts';
import { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import { systemClock, type Clock } from '../../adapters/time/clock.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { compileOrbiset } from '../../core/orb/compile-orbiset.ts';
import type { AttemptRecord } from '../../core/receipt/record.ts';
import { ACME, createTestRuntime, type Executed, type TestRuntime } from '../support/a-runtime.ts';
import { answer, rawTlsServer, type RawServer, type Script } from '../support/egress.ts';
import { at, payloadOf, textAt } from '../support/members.ts';
import type { OrbOptions } from '../support/orbs.ts';
import { openThreadedFixture, type SqliteFixture } from '../support/sqlite-ledger.ts';
import { issue, makeCa } from '../support/tls.ts';

/** The authority that the dialer trusts. */
const ca = makeCa();

export const ORB = 'acme.echo@1.0.0';

/** The server at the host of a provider. */
export type Place =
  /** A TLS server that sends raw bytes. */
  | { readonly kind: 'server'; readonly script: Script; readonly certificate?: Certificate }
  /** No server listens. */
  | { readonly kind: 'closed' }
  /** The host is looked up like any other host, by `resolve` of the world. */
  | { readonly kind: 'unknown' };

type Certificate = 'good' | 'expired' | 'self-signed' | 'wrong-name';

export interface WorldOptions {
  /** By provider name, in the order of trial: the first is the primary. */
  readonly places: Readonly<Record<string, Place>>;
  /** Changes every execution. */
  readonly execution?: Readonly<Record<string, unknown>>;
  /** Changes the executions of single providers. */
  readonly executions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly swap?: Readonly<Record<string, unknown>>;
  readonly namespace?: string;
  readonly resolve?: DialerOptions['resolve'];
  /** False: providers get no secrets. */
  readonly secrets?: boolean;
}

/** A runtime with real sockets to providers that the test controls. */
export interface World {
  readonly runtime: TestRuntime;
  readonly server: (provider: string) => RawServer;
  /** One run. */
  readonly run: (call?: Parameters<TestRuntime['execute']>[0]) => Promise<Executed>;
  /** Attempts of the signed receipt. */
  readonly attempts: (answer: Executed, tenant?: string) => Promise<readonly AttemptRecord[]>;
  /** `a error, b success` */
  readonly path: (answer: Executed, tenant?: string) => Promise<string>;
  /** Value of a series of the metrics; 0 when it is missing. */
  readonly metric: (name: string, provider: string, label?: string) => Promise<number>;
  /** The metrics that `metric` reads. */
  readonly series: OrbMetrics;
  /** Moves time forward for breakers and cooling, without waiting. */
  readonly skip: (ms: number) => void;
  readonly addOrbiset: (name: string, namespace: string, vault: Vault) => void;
  readonly close: () => Promise<void>;
}

/** Entry → value and hosts. */
export type Vault = Readonly<Record<string, { readonly value: string; readonly hosts: readonly string[] }>>;

export const hostOf = (provider: string): string => `${provider}.example.com`;
const originOf = (provider: string): string => `https://${hostOf(provider)}`;
export const secretOf = (provider: string): string => `secret-value-of-provider-${provider}`;
const entryOf = (provider: string): string => provider.toUpperCase();

/** Answers 200 after 10 ms, with its name. */
export const answersOk =
  (name: string): Script =>
  (socket) => {
    setTimeout(() => socket.write(answer(JSON.stringify({ id: name }), ['content-type: application/json'])), 10);
  };

/** Answers with a status. */
export const status =
  (line: string, headers: readonly string[] = []): Script =>
  (socket: Socket) => {
    socket.write(answer('{}', ['content-type: application/json', ...headers], line));
  };

/** Lets a script be replaced while its server runs. */
export class ReplaceableScript {
  script: Script;
  constructor(script: Script) {
    this.script = script;
  }
  readonly place = (): Place => ({
    kind: 'server',
    script: (socket, request, index) => this.script(socket, request, index),
  });
}

export const serves = (script: Script, certificate: Certificate = 'good'): Place => ({
  kind: 'server',
  script,
  certificate,
});

const DAY_MS = 86_400_000;

function certificateOf(provider: string, kind: Certificate): { readonly cert: string; readonly key: string } {
  const names = [kind === 'wrong-name' ? 'other.example.com' : hostOf(provider)];
  const dates = kind === 'expired' ? { validFrom: Date.now() - 3 * DAY_MS, validTo: Date.now() - DAY_MS } : {};
  const leaf = issue(kind === 'self-signed' ? makeCa() : ca, { names, ...dates });
  return { cert: leaf.certificate, key: leaf.key };
}

async function startAll(places: WorldOptions['places']): Promise<ReadonlyMap<string, RawServer>> {
  const servers = new Map<string, RawServer>();
  for (const [name, place] of Object.entries(places)) {
    if (place.kind === 'server')
      servers.set(name, await rawTlsServer(certificateOf(name, place.certificate ?? 'good'), place.script));
  }
  return servers;
}

/** A port without a server: port 1 needs a privilege that no service of a test machine uses. */
const CLOSED_PORT = 1;

function allowRulesOf(
  { places }: Pick<WorldOptions, 'places'>,
  servers: ReadonlyMap<string, RawServer>,
): DialerOptions['exceptions'] {
  return Object.entries(places).flatMap(([name, { kind }]) => {
    const port = kind === 'closed' ? CLOSED_PORT : servers.get(name)?.port;
    return port === undefined ? [] : [{ kind: 'stub' as const, origin: originOf(name), address: '127.0.0.1', port }];
  });
}

function executionOf(provider: string, options: WorldOptions): JsonObject {
  const secret = options.secrets === false ? {} : { 'X-Api-Key': `{{orbiset.secrets.${entryOf(provider)}}}` };
  const execution: unknown = {
    type: 'http',
    method: 'POST',
    url: `${originOf(provider)}/run`,
    headers: { 'Content-Type': 'application/json', ...secret },
    body_template: '{"text":"{{inputs.text}}"}',
    idempotent: true,
    timeout_ms: 30_000,
    attempt_timeout_ms: 10_000,
    ...options.execution,
    ...options.executions?.[provider],
  };
  const json: unknown = JSON.parse(JSON.stringify(execution));
  if (!isJsonObject(json)) throw new TypeError('no execution');
  return json;
}

/** How `acme.echo@1.0.0` differs from other Orbs of the tests: its providers are those of `places`. */
export function orbOptions(options: WorldOptions): OrbOptions {
  const [primary = '', ...fallbacks] = Object.keys(options.places);
  const providers = Object.fromEntries(fallbacks.map((name) => [name, { execution: executionOf(name, options) }]));
  return {
    url: `${originOf(primary)}/run`,
    execution: executionOf(primary, options),
    outputs: { id: { type: 'string', from: '/body/id' } },
    manifest: { provider: primary, providers, swap_config: { primary, fallbacks, ...options.swap } },
  };
}

/** Adds or replaces an Orbiset. */
export function setOrbiset(runtime: TestRuntime, name: string, namespace: string, vault: Vault): void {
  const names = Object.keys(vault);
  const secrets = names.map((entry) => ({ name: entry.toLowerCase(), allowedHosts: [...(vault[entry]?.hosts ?? [])] }));
  const secret = (of: string): ReadonlyMap<string, Uint8Array> | undefined => {
    const entry = names.find((one) => one.toLowerCase() === of);
    return entry === undefined ? undefined : new Map([[entry, Buffer.from(vault[entry]?.value ?? '')]]);
  };
  const spec = { vault: { secrets }, orbs: ['acme.echo'] };
  runtime.catalog.setOrbiset(compileOrbiset({ namespace, name, spec, secret, extra: [] }).orbiset);
}

/** A secret for each provider, bound to its host. */
export const fullVault = (providers: readonly string[]): Vault =>
  Object.fromEntries(providers.map((name) => [entryOf(name), { value: secretOf(name), hosts: [hostOf(name)] }]));

interface ShiftedClock extends Clock {
  readonly skip: (ms: number) => void;
}

/** The machine's clock, which a test can move forward. */
function shiftedClock(): ShiftedClock {
  let shift = 0;
  return {
    now: () => systemClock.now() + shift,
    monotonic: () => systemClock.monotonic() + shift,
    sleep: systemClock.sleep,
    skip: (ms) => void (shift += ms),
  };
}

const isAttempt = (value: JsonValue): value is JsonObject & AttemptRecord =>
  isJsonObject(value) && typeof value['provider'] === 'string' && typeof value['duration_ms'] === 'number';

async function attemptsOf(
  fixture: SqliteFixture,
  answered: Executed,
  tenant: string,
): Promise<readonly AttemptRecord[]> {
  const place = answered.status === 200 ? ['receipt'] : ['run', 'receipt'];
  const stored = await fixture.ledger.receipt(tenant, textAt(answered.body, ...place, 'receipt_id'));
  const attempts = at(payloadOf(stored?.jws), 'execution', 'attempts');
  return Array.isArray(attempts) ? attempts.filter(isAttempt) : [];
}

function valueOf(text: string, name: string, provider: string, label: string): number {
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`${name}{`) && one.includes(`provider="${provider}"`) && one.includes(label));
  return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
}

/** The servers of `places`, and a dialer that reaches them. */
export interface Providers {
  readonly servers: ReadonlyMap<string, RawServer>;
  readonly dialer: Dialer;
  readonly close: () => Promise<void>;
}

export async function startProviders(
  options: Pick<WorldOptions, 'places' | 'resolve'>,
  clock: Clock,
): Promise<Providers> {
  const servers = await startAll(options.places);
  const { resolve } = options;
  const dialer = createDialer({
    exceptions: allowRulesOf(options, servers),
    ca: [ca.certificate],
    clock,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const close = async (): Promise<void> => {
    await dialer.destroy();
    for (const server of servers.values()) await server.close();
  };
  return { servers, dialer, close };
}

/** Starts providers and a runtime whose Orb `acme.echo@1.0.0` calls them. */
async function startWorld(options: WorldOptions): Promise<World> {
  const clock = shiftedClock();
  const { servers, dialer, close } = await startProviders(options, clock);
  const fixture = await openThreadedFixture();
  const orbs = new OrbMetrics(clock);
  const metrics = { provider: orbs.provider, redactions: orbs.redactions, run: () => undefined };
  const runtime = createTestRuntime({ ledger: fixture.ledger, clock, parts: { dialer, metrics } });
  runtime.addOrb(ORB, orbOptions(options), options.namespace ?? 'acme');
  const addOrbiset: World['addOrbiset'] = (name, namespace, vault) => setOrbiset(runtime, name, namespace, vault);
  addOrbiset('support', 'acme', fullVault(Object.keys(options.places)));
  const attempts: World['attempts'] = (answered, tenant = 'acme') => attemptsOf(fixture, answered, tenant);
  return {
    runtime,
    server: (provider) => {
      const server = servers.get(provider);
      if (server === undefined) throw new RangeError(`no server of ${provider}`);
      return server;
    },
    run: (call = {}) => runtime.execute({ caller: ACME, ...call }),
    attempts,
    path: async (answered, tenant = 'acme') =>
      (await attempts(answered, tenant)).map(({ provider, outcome }) => `${provider} ${outcome}`).join(', '),
    metric: async (name, provider, label = '') => {
      let text = '';
      for await (const slice of orbs.slices()) text += slice;
      return valueOf(text, name, provider, label);
    },
    series: orbs,
    skip: clock.skip,
    addOrbiset,
    close: async () => {
      await close();
      await fixture.dispose();
    },
  };
}

/** Starts a world, uses it, ends it. */
export async function inWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  const world = await startWorld(options);
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}
