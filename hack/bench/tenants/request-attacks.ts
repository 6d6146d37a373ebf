import { setTimeout as delay } from 'node:timers/promises';
import { HOSTILE_PUBLICATIONS } from '../../../test/support/hostile-publications.ts';
import type { Attack } from './connection-attacks.ts';
import { ADDRESSES, executePath, FAST_MS, HOSTILE, runOf, SLOW_MS, type AttackSettings } from './parts.ts';
import { postOf, RawCaller } from './raw-caller.ts';

/** A refused caller that came back at once would measure the attacker only. */
const REFUSED_MS = 250;
/** Connections of one address: fewer than it may have. */
const PER_ADDRESS = 700;

const addressOf = (index: number): string => `127.0.1.${1 + Math.floor(index / PER_ADDRESS)}`;

const run = (key: string, orb: string): Buffer => postOf(executePath(HOSTILE), key, runOf(`${HOSTILE}.${orb}`));

interface InFlight {
  readonly port: number;
  readonly count: number;
  /** The next request of the connection with this number. */
  readonly request: (index: number) => Buffer;
  /** Over which the first requests are spread, ms. */
  readonly spreadMs?: number;
  readonly refusedMs?: number;
}

/** Keeps so many requests in flight, each on a connection of its own. */
async function keep({ port, count, request, spreadMs = 0, refusedMs = REFUSED_MS }: InFlight): Promise<never> {
  const one = async (index: number): Promise<never> => {
    await delay((index * spreadMs) / count);
    const caller = new RawCaller(port, addressOf(index));
    for (;;) {
      const status = await caller.send(request(index));
      if (status !== 200 && refusedMs > 0) await delay(refusedMs);
    }
  };
  return Promise.race(Array.from({ length: count }, (_, index) => one(index)));
}

const keptRuns =
  (orb: string, count: number, spreadMs = 0): Attack =>
  ({ port, key }) => {
    const request = run(key, orb);
    return keep({ port, count, request: () => request, spreadMs });
  };

/** Three quarters of the 256 slots of an origin, evenly in time: what a tenant may have beside others. */
const SHARE = 192;

/** 300 slow runs, pipelined on five connections. */
const pipelined: Attack = async ({ port, key }) => {
  const request = run(key, 'slow');
  const batch = Buffer.concat(Array.from({ length: 60 }, () => request));
  return keep({ port, count: 5, request: () => batch });
};

/** Requests as fast as they are refused. */
const flood =
  (keyOf: (settings: AttackSettings) => string, count: number): Attack =>
  (settings) => {
    const request = run(keyOf(settings), 'fast');
    return keep({ port: settings.port, count, request: () => request, refusedMs: 0 });
  };

/** Each of the keys is used at its rate, 100 a second: together the rate of a tenant. */
const tenantRate: Attack = async ({ port, ratedKeys }) => {
  const perKey = 8;
  const everyMs = 80;
  const requests = ratedKeys.map((key) => run(key, 'fast'));
  const one = async (index: number): Promise<never> => {
    const caller = new RawCaller(port, ADDRESSES.hostile);
    const request = requests[index % requests.length] ?? Buffer.alloc(0);
    for (let due = performance.now() + (index % perKey) * (everyMs / perKey); ; due += everyMs) {
      await delay(Math.max(0, due - performance.now(), due === 0 ? FAST_MS : 0));
      await caller.send(request);
      if (performance.now() - due > SLOW_MS) due = performance.now();
    }
  };
  return Promise.race(Array.from({ length: perKey * requests.length }, (_, index) => one(index)));
};

/** Bodies in turns, on as many connections as `count` says. */
const bodies =
  (path: string, count: number, texts: () => readonly string[]): Attack =>
  ({ port, key }) => {
    const requests = texts().map((text) => postOf(path, key, text));
    let next = 0;
    const request = (): Buffer => {
      next += 1;
      return requests[next % requests.length] ?? Buffer.alloc(0);
    };
    return keep({ port, count, request, refusedMs: 0 });
  };

const MOST_BYTES = 1_048_576;
const ROOM = 200;
const filled = (part: string): string => part.repeat(Math.floor((MOST_BYTES - ROOM) / part.length));
const inputs = (text: string): string => `{"orb_id":"${HOSTILE}.fast@1.0.0","inputs":{"text":${text}}}`;

/** Inputs of 1 MiB. */
const hostileInputs = (): readonly string[] => [
  inputs(`[${'1,'.repeat(49_000)}1]`),
  inputs(`"${filled('\\u0061')}"`),
  inputs(`"${filled('{{')}"`),
  inputs(`"${filled('%61')}"`),
  inputs(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  inputs(`{${Array.from({ length: 49_000 }, (_, at) => `"${at}":1`).join(',')}}`),
];

const MOST_POLICY_BYTES = 262_144;
const policy = (rules: readonly unknown[]): string =>
  JSON.stringify({ policy: { metadata: { name: 'p', namespace: HOSTILE }, spec: { rules } } });
const rule = (name: number, when: string): unknown => ({ name: `r${name}`, effect: 'deny', when, message: 'No.' });

/** Policies as large as the route takes them: many rules, long expressions, deep ones, no policy at all. */
const hostilePolicies = (): readonly string[] => [
  policy(Array.from({ length: 2000 }, (_, at) => rule(at, `orbiset.orb_runs_today > ${at}`))),
  policy([rule(1, `${'true && '.repeat(20_000)}true`)]),
  policy([rule(1, `${'('.repeat(50_000)}true${')'.repeat(50_000)}`)]),
  policy([rule(1, `[${'1,'.repeat(50_000)}1].exists(x, x > 1)`)]),
  `{"policy":${'['.repeat(MOST_POLICY_BYTES / 2 - ROOM)}${']'.repeat(MOST_POLICY_BYTES / 2 - ROOM)}}`,
];

const publications = (): readonly string[] => HOSTILE_PUBLICATIONS.map(({ body }) => body());

export const REQUEST_ATTACKS = {
  share: {
    what: 'no attack: a tenant that fills its share, 192 slow runs',
    run: keptRuns('slow', SHARE, SLOW_MS),
  },
  'key-flood': { what: 'a key far over its rate, 64 connections', run: flood(({ ratedKeys: [key = ''] }) => key, 64) },
  'wrong-keys': { what: 'wrong keys, 64 connections', run: flood(() => 'orb_wrong', 64) },
  'tenant-rate': { what: 'ten keys at their rate: 1 000 runs a second', run: tenantRate },
  pipelined: { what: '300 pipelined slow runs', run: pipelined },
  'slow-300': { what: '300 slow runs in flight', run: keptRuns('slow', 300) },
  'slow-1400': { what: '1 400 slow runs in flight', run: keptRuns('slow', 1400) },
  together: { what: '1 400 runs in flight, answered at one moment', run: keptRuns('together', 1400) },
  hits: { what: 'answers of 4 MiB, all redaction hits, 64 in flight', run: keptRuns('hits', 64) },
  strings: { what: 'answers of 4 MiB, 1.3 million strings, 64 in flight', run: keptRuns('strings', 64) },
  members: { what: 'answers of 4 MiB, one object of many members, 64 in flight', run: keptRuns('members', 64) },
  stalled: { what: 'answers of 4 MiB that lack a byte, 192 in flight', run: keptRuns('stalled', SHARE) },
  encoded: { what: 'answers of 64 kB, percent-encoded bytes, 192 in flight', run: keptRuns('encoded', SHARE) },
  inputs: { what: 'inputs of 1 MiB, 8 connections', run: bodies(executePath(HOSTILE), 8, hostileInputs) },
  policies: { what: 'hostile policies, 8 connections', run: bodies('/policies/validate', 8, hostilePolicies) },
  publications: {
    what: 'hostile publications, 8 connections',
    run: bodies('/marketplace/orbs/publish?dry_run=true', 8, publications),
  },
} as const satisfies Readonly<Record<string, { readonly what: string; readonly run: Attack }>>;
