import type { SecureContext } from 'node:tls';
import { Agent } from 'undici';
import { PROVIDER_PORTS } from '../../core/egress/provider-ports.ts';
import type { Clock } from '../time/clock.ts';
import { GuardedConnector, type Target } from './connector.ts';
import { ResponseExchange, type Outcome } from './exchange.ts';
import { abortFailure } from './faults.ts';
import { boundedResolve, systemResolve, type Resolve } from './lookup.ts';
import type { BlockedCode, DialFailure, DialLimits, Dialer, AllowRule, OutboundRequest, UrlGuard } from './port.ts';
import { allowed } from './ranges.ts';
import { nextHop } from './redirects.ts';
import { MAX_HEADER_BYTES } from './response.ts';
import { OriginSlots } from './slots.ts';
import { createTrust } from './tls.ts';
import { ReadPace } from './read-pace.ts';
import { checkUrl, type UrlRules } from './url-guard.ts';

export interface DialerOptions {
  readonly exceptions: readonly AllowRule[];
  /**
   * PEM texts of `--egress-ca`: trusted only for origins with an allow rule or a stub, beside the usual authorities.
   */
  readonly ca: readonly string[];
  /** Ports that a provider may listen on; default `PROVIDER_PORTS`. */
  readonly ports?: readonly number[];
  readonly clock: Clock;
  /** Default: the system's resolver. Tests and the self-test resolve to addresses of their own. */
  readonly resolve?: Resolve;
}

const SOCKETS_PER_ORIGIN = 256;
const KEEP_ALIVE_MS = 10_000;

/**
 * One agent with its connections. Each allow rule or stub has an agent of its own, so that its connections are never
 * used for other traffic.
 */
interface Route {
  readonly agent: Agent;
  readonly connector: GuardedConnector;
}

/** All routes of one dialer; replaced as a whole after a halt. */
interface Routes {
  readonly guarded: Route;
  readonly excepted: ReadonlyMap<string, Route>;
}

/** Values that stay the same over the hops of one `dial`. */
interface Call {
  readonly request: OutboundRequest;
  readonly headers: string[];
  readonly limits: DialLimits;
  readonly guard: UrlGuard;
  readonly signal: AbortSignal;
}

interface Ending {
  readonly outcome: Outcome;
  readonly exception: boolean;
}

const NOWHERE = new URL('about:blank');

/** A failure before any byte could be sent. */
const unsent = (failure: DialFailure): Outcome => ({ kind: 'failed', failure, sent: false, status: null });

const refused = (code: BlockedCode): Outcome => unsent({ kind: 'blocked', code });

const refusedRedirect = (status: number): Outcome => ({
  kind: 'failed',
  failure: { kind: 'blocked', code: 'redirect-refused' },
  sent: true,
  status,
});

/** These headers frame the message or name its target; the template refuses them at load (security.md §4.1). */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
]);

const isOurs = (lower: string): boolean => OURS.has(lower) || lower.startsWith('proxy-');

/** Headers in undici's flat form. An encoded answer is decoded; no request asks for an encoding. */
function wireHeaders(headers: OutboundRequest['headers']): string[] {
  const flat: string[] = ['accept-encoding', 'identity'];
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (isOurs(lower)) throw new TypeError(`header not to be set by a request: ${lower}`);
    flat.push(name, value);
  }
  return flat;
}

function createRoute(target: Target, resolve: Resolve, context: () => SecureContext): Route {
  const connector = new GuardedConnector(target, { resolve, allowed, context });
  const agent = new Agent({
    connect: connector.connect,
    connections: SOCKETS_PER_ORIGIN,
    pipelining: 1,
    allowH2: false, // limits, pooling and framing are not proven for h2
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0, // the exchange has a signal and a body timer: undici's timers miss drips and floods
    bodyTimeout: 0,
  });
  return { agent, connector };
}

class GuardedDialer implements Dialer {
  readonly #clock: Clock;
  readonly #rules: UrlRules;
  readonly #open: () => Routes;
  #routes: Routes;
  #halted = false;
  #destroyed = false;
  readonly #slots = new OriginSlots(SOCKETS_PER_ORIGIN);
  readonly #pace = new ReadPace();

  constructor({ exceptions, ca, ports = PROVIDER_PORTS, clock, resolve = systemResolve }: DialerOptions) {
    const bounded = boundedResolve(resolve);
    const trust = createTrust(ca);
    this.#clock = clock;
    this.#rules = { ports: new Set(ports), exceptions: new Map(exceptions.map((one) => [one.origin, one])) };
    this.#open = () => ({
      guarded: createRoute({ kind: 'guarded' }, bounded, trust.guarded),
      excepted: new Map(exceptions.map((one) => [one.origin, createRoute(one, bounded, trust.excepted)])),
    });
    this.#routes = this.#open();
  }

  readonly dial: Dialer['dial'] = async (request, limits, guard, signal) => {
    const started = this.#clock.monotonic();
    const call: Call = { request, headers: wireHeaders(request.headers), limits, guard, signal };
    const { outcome, exception } = await this.#follow(call);
    const ms = this.#clock.monotonic() - started;
    return { ...outcome, ms, exception };
  };

  readonly halt = async (): Promise<void> => {
    this.#halted = true;
    await this.#break();
  };

  readonly resume = (): void => {
    if (!this.#halted || this.#destroyed) return;
    this.#routes = this.#open();
    this.#halted = false;
  };

  readonly destroy = async (): Promise<void> => {
    this.#destroyed = true;
    await this.#break();
  };

  async #break(): Promise<void> {
    const routes = [this.#routes.guarded, ...this.#routes.excepted.values()];
    for (const { connector } of routes) connector.destroy();
    await Promise.all(routes.map(({ agent }) => agent.destroy()));
  }

  /** One exchange, and those of its redirects. */
  async #follow(call: Call): Promise<Ending> {
    const { limits, request } = call;
    let text = request.url;
    for (let hops = 0; ; hops += 1) {
      const { outcome, url, exception } = await this.#hop(text, call);
      if (outcome.kind === 'failed') return { outcome: { ...outcome, sent: outcome.sent || hops > 0 }, exception };
      const next = nextHop(outcome, { url, method: request.method, hops, limits });
      if (next.kind === 'refuse') return { outcome: refusedRedirect(outcome.status), exception };
      if (next.kind === 'answer') return { outcome, exception };
      limits.memory?.free(); // nobody reads the body of a redirect
      text = next.url;
    }
  }

  /** Every hop passes every layer, and the owner of the secrets checks its URL again. */
  async #hop(text: string, call: Call): Promise<Ending & { readonly url: URL }> {
    const checked = checkUrl(text, this.#rules);
    if (!checked.ok) return { outcome: refused(checked.code), url: NOWHERE, exception: false };
    const { url } = checked;
    const exception = checked.exception !== undefined;
    const denied = call.guard(url);
    if (denied !== null) return { outcome: refused(denied), url, exception };
    const admitted = await this.#admit(url.origin, call.signal);
    return { outcome: admitted ?? (await this.#send(url, call)), url, exception };
  }

  /** Waits for a slot of the origin. @returns null with a slot, otherwise the reason of the failure */
  async #admit(origin: string, signal: AbortSignal): Promise<Outcome | null> {
    if (signal.aborted) return unsent(abortFailure(signal));
    if (!this.#slots.take(origin) && !(await this.#slots.wait(origin, signal))) return unsent(abortFailure(signal));
    return null;
  }

  #send(url: URL, { request, headers, limits, signal }: Call): Promise<Outcome> {
    const { agent, connector } = this.#routes.excepted.get(url.origin) ?? this.#routes.guarded;
    const { method, body } = request;
    return new Promise((settle) => {
      const release = (): void => this.#slots.release(url.origin);
      const { reading } = connector;
      const exchange = new ResponseExchange({ method, limits, signal, reading, pace: this.#pace, settle, release });
      agent.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, exchange);
      exchange.limitConnecting();
    });
  }
}

/** The guarded dialer (security.md §3). Opens no connection until the first dial. */
export function createDialer(options: DialerOptions): Dialer {
  return new GuardedDialer(options);
}
