import { join } from 'node:path';
import type { Dialer, DialResult } from '../../../adapters/egress/port.ts';
import { silentLog } from '../../../adapters/telemetry/silent-log.ts';
import type { RouteRequest } from '../../../api-server/http/route.ts';
import type { Runtime } from '../../../api-server/runtime/runtime.ts';
import { Slots } from '../../../api-server/runtime/slots.ts';
import { executeRoute } from '../../../api-server/services/execute/execute.ts';
import type { Caller } from '../../../core/api-key/caller.ts';
import { parseSettings } from '../../../standalone/settings.ts';
import { start, type Running } from '../../../standalone/start.ts';
import { ROOT } from '../subjects.ts';
import { PastClock } from './past-clock.ts';
import { ORB_IDS } from './tenants.ts';

const DAY_MS = 86_400_000;
/** The runs are spread over so many days before today. */
export const DAYS = 7;
export const CALLERS = 40;
/** Runs under way: many share a commit of the ledger. */
const AT_ONCE = 512;
/** Runs at one time of the clock. */
const WAVE = 4000;
/** Waves. */
const SHOW_EVERY = 25;
/** Answers of runs that have a receipt. */
const RECORDED = [200, 403, 422, 502];

/** Runs of a tenant to make. */
export interface Wanted {
  readonly namespace: string;
  readonly runs: number;
}

/** The provider: one answer in 20 is long, one in 30 has a header more, one in 40 refuses, and one in 400 fails. */
function answerOf(number: number): DialResult {
  const status = number % 400 === 399 ? 500 : number % 40 === 39 ? 422 : 200;
  const headers = [
    ['content-type', 'application/json'],
    ...(number % 30 === 29 ? [['x-internal', '1'] as const] : []),
  ] as const;
  const text = 'x'.repeat(number % 20 === 19 ? 600 : 40 + (number % 100));
  const body = Buffer.from(JSON.stringify({ message_id: `m-${number}`, status: 'queued', text }));
  return { kind: 'answered', status, headers, body, ms: 20 + (number % 60), exception: false };
}

/** Answers every call at once, in place of the network. */
function providers(): Dialer {
  let number = 0;
  return {
    dial: () => {
      number += 1;
      return Promise.resolve(answerOf(number));
    },
    halt: () => Promise.resolve(),
    resume: () => undefined,
    destroy: () => Promise.resolve(),
  };
}

/** One in 10 is a ServiceAccount. */
const callerAt = (namespace: string, index: number): Caller => ({
  id: index % 10 === 9 ? `sa:${namespace}/bench-${index}` : `key:bench-${index}`,
  tenants: [namespace],
  scopes: new Set(index % 2 === 0 ? ['orbs:execute', 'receipts:read'] : ['orbs:execute']),
  ...(index % 10 === 9 ? { groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] } : {}),
  orbs: undefined,
  expiresAt: Number.MAX_SAFE_INTEGER,
  standing: () => 'valid',
});

const inputsAt = (number: number): object => ({
  recipient: `someone-${number % 1000}@mail.example`,
  text: 'A line of the benchmark. '.repeat(1 + (number % 7)),
  ...(number % 3 === 0 ? { amount_cents: (number * 7919) % 100_000 } : {}),
  ...(number % 5 === 0 ? { note: 'n', tag: 't' } : {}),
});

/** One run in 8 has an Idempotency-Key; one in 4 is in the Orbiset `strict`. */
function requestAt(number: number, caller: Caller): RouteRequest {
  const turn = Math.floor(number / ORB_IDS.length);
  const body = JSON.stringify({ orb_id: ORB_IDS[number % ORB_IDS.length], inputs: inputsAt(number) });
  const key = turn % 8 === 5 ? `bench-${number}` : undefined;
  return {
    requestId: `req_${number}`,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    caller,
    params: { id: turn % 4 === 3 ? 'strict' : 'prod' },
    query: new URLSearchParams(),
    header: (name) => (name === 'idempotency-key' ? key : undefined),
    headerPairs: [],
    address: '127.0.0.1',
    body: Buffer.from(body),
    longTurn: () => Promise.resolve(),
    readBody: () => {
      throw new TypeError('the body of an execution is read before its handler');
    },
    signal: new AbortController().signal,
  };
}

/** @throws Error a run ended in a way that the platform does not record */
async function makeRuns(runtime: Runtime, { namespace }: Wanted, from: number, until: number): Promise<void> {
  const { handle } = executeRoute(runtime);
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < until) {
      const number = next;
      next += 1;
      const caller = callerAt(namespace, Math.floor(number / 7) % CALLERS);
      const { status, body } = await handle(requestAt(number, caller));
      if (!RECORDED.includes(status)) throw new Error(`run ${number}: ${status} ${String(body)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function startHere(folder: string, past: PastClock): Promise<Running> {
  const flags = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
  const parsed = parseSettings([...flags, '--data', join(folder, 'data')], join(folder, 'resources'));
  if (parsed.kind !== 'start') throw new Error('the platform takes these flags');
  const log = {
    logger: silentLog,
    addRedactor: () => undefined,
    removeRedactor: () => undefined,
    leftOutLines: () => 0,
  };
  return start(parsed.settings, { root: ROOT, clock: past.clock, log, env: {}, orb: 'orb' });
}

/**
 * Executes runs of the last 7 days in a platform inside this process, with all of its own code but the network: callers
 * are made here, and providers answer at once. Its ledger stays in `folder`.
 * @param folder with the `resources` of the tenants
 */
export async function fillLedger(folder: string, tenants: readonly Wanted[]): Promise<void> {
  const span = DAYS * DAY_MS;
  const begin = Date.now() - span;
  const past = new PastClock(begin);
  const running = await startHere(folder, past);
  const slots = new Slots({ perKey: AT_ONCE, waiting: AT_ONCE });
  const runtime = { ...running.platform.runtime, dialer: providers(), slots };
  const total = tenants.reduce((sum, { runs }) => sum + runs, 0);
  const waves = Math.ceil(total / WAVE);
  try {
    for (let wave = 0; wave < waves; wave += 1) {
      past.goTo(begin + Math.floor((span * wave) / waves));
      for (const wanted of tenants) {
        const [from, until] = [wave, wave + 1].map((at) => Math.floor((wanted.runs * at) / waves));
        await makeRuns(runtime, wanted, from ?? 0, until ?? 0);
      }
      if (wave % SHOW_EVERY === 0 && wave > 0) console.error(`  ${wave * WAVE} of ${total} runs`);
    }
  } finally {
    await running.stop();
  }
}
