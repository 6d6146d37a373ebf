import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import undici from 'undici/package.json' with { type: 'json' };
import { compareVersions } from '../../core/release/semantic-version.ts';
import type { Clock } from '../time/clock.ts';
import { createDialer } from './dialer.ts';
import { systemResolve, type Resolve } from './lookup.ts';
import type { Dialer, DialLimits, DialResult } from './port.ts';
import { listenOn, listenOnLoopback } from '../process/listen.ts';

export interface SelfTestInput {
  /** `process.env`, which only a main module may read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Default: `process.versions`. */
  readonly versions?: Readonly<Record<string, string | undefined>>;
  /** Version of undici; default: that of the loaded one. */
  readonly undiciVersion?: string;
  /** The dialer under test; default: `createDialer`. */
  readonly create?: typeof createDialer;
}

export type SelfTestResult = { readonly ok: true } | { readonly ok: false; readonly failures: readonly string[] };

interface Probe {
  readonly what: string;
  readonly url: string;
}

/** CVE-2026-22036 and CVE-2026-84890 are fixed in this version, and the layers were tested with its behaviour. */
const UNDICI_FLOOR = '8.10.2';
/** Each of these variables switches off or bypasses something that the layers rely on. */
const UNSET = ['NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_USE_ENV_PROXY'];
/** These runtimes ignore some of undici's options. */
const FOREIGN_RUNTIMES = ['bun', 'deno'];

// Every notation of an address that Node and WHATWG URLs accept (security.md §3.3).
const LITERALS = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '[::]',
];
const LOOPBACK = { address: '127.0.0.1', family: 4 };
const STUBBED: Readonly<Record<string, Awaited<ReturnType<Resolve>>>> = {
  'loopback.orbs.example': [LOOPBACK],
  'metadata.orbs.example': [{ address: '169.254.169.254', family: 4 }],
  'mixed.orbs.example': [{ address: '93.184.215.14', family: 4 }, LOOPBACK],
};
const LIMITS: DialLimits = {
  connectTimeoutMs: 200,
  bodyIdleMs: 200,
  maxResponseBytes: 1024,
  followRedirects: 3,
  idempotent: true,
};

function environmentFailures({
  env,
  versions = process.versions,
  undiciVersion = undici.version,
}: SelfTestInput): string[] {
  const set = UNSET.filter((name) => (env[name] ?? '') !== '');
  const foreign = FOREIGN_RUNTIMES.filter((name) => versions[name] !== undefined);
  return [
    ...set.map((name) => `${name} is set: unset it`),
    ...foreign.map((name) => `runs on ${name}: the guard is proven on Node.js only`),
    ...(compareVersions(undiciVersion, UNDICI_FLOOR) >= 0
      ? []
      : [`undici ${undiciVersion} is older than ${UNDICI_FLOOR}`]),
  ];
}

const resolveStubbed: Resolve = async (host) => STUBBED[host.replace(/\.$/, '')] ?? systemResolve(host);

/** Counts connections that arrive. A single TCP connection fails the test, even without data. */
interface Trap {
  readonly port: number;
  readonly caught: () => number;
  readonly close: () => void;
}

async function openTrap(): Promise<Trap> {
  let caught = 0;
  const servers = [0, 1].map(() =>
    createTcpServer((socket) => {
      caught += 1;
      socket.destroy();
    }),
  );
  const [v4, v6] = servers;
  const port = v4 === undefined ? 0 : await listenOnLoopback(v4);
  // A machine without IPv6 needs no such listener.
  if (v6 !== undefined) await listenOn(v6, { host: '::1', port }).catch(() => undefined);
  return { port, caught: () => caught, close: () => servers.forEach((server) => server.close()) };
}

const probes = ({ port }: Trap): readonly Probe[] =>
  ['https', 'http'].flatMap((scheme) =>
    [...LITERALS, 'localhost', ...Object.keys(STUBBED)].map((host) => ({
      what: `${scheme} ${host}`,
      url: `${scheme}://${host}:${port}/`,
    })),
  );

/** Refused by a layer, or never resolved (`localhost.`, where no resolver knows it). */
function refused(result: DialResult): boolean {
  if (result.kind === 'answered') return false;
  const { kind, code } = result.failure;
  return kind === 'blocked' || code === 'dns' || code === 'connect-timeout';
}

function dial(dialer: Dialer, url: string): Promise<DialResult> {
  const signal = new AbortController().signal;
  return dialer.dial({ method: 'GET', url, headers: [], body: null }, LIMITS, () => null, signal);
}

async function guardFailures(create: typeof createDialer, clock: Clock): Promise<string[]> {
  const trap = await openTrap();
  const redirecting: Server = createServer((_request, response) => {
    response.writeHead(302, { location: `https://127.0.0.1:${trap.port}/`, connection: 'close' }).end();
  });
  const origin = `http://127.0.0.1:${await listenOnLoopback(redirecting)}`;
  const dialer = create({
    exceptions: [{ kind: 'allow', origin }],
    ca: [],
    ports: [443, trap.port],
    clock,
    resolve: resolveStubbed,
  });
  const all = [...probes(trap), { what: 'a redirect', url: `${origin}/` }];
  try {
    const results = await Promise.all(
      all.map(async ({ what, url }) => ({ what, ok: refused(await dial(dialer, url)) })),
    );
    const open = results.filter(({ ok }) => !ok).map(({ what }) => `${what} was not refused`);
    return trap.caught() === 0 ? open : [...open, `${trap.caught()} connections reached a private address`];
  } finally {
    await dialer.destroy();
    trap.close();
    redirecting.close();
  }
}

/**
 * Proves at the start that the guard holds on this machine (security.md §3.6). Dials every literal form, `localhost`,
 * DNS answers with private addresses and a redirect, against a loopback listener. Checks the versions and variables
 * that the guard relies on. Takes less than 300 ms. After a failure the caller must end (exit 78,
 * `egress-guard-ineffective`).
 */
export async function selfTest(input: SelfTestInput): Promise<SelfTestResult> {
  const { create = createDialer, clock } = input;
  const failures = [...environmentFailures(input), ...(await guardFailures(create, clock))];
  return failures.length === 0 ? { ok: true } : { ok: false, failures };
}
