import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { orbManifest } from '../../support/orbs.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import type { Observations } from '../witness.ts';
import { KINDS, policyFiles, type Kind } from './kinds.ts';
import { startTextProvider, type TextProvider } from '../text-provider.ts';

const ORB = 'chaos.send@1.0.0';
const CALLERS = 6;
/** Answers before a kill, at the least: each kind is among them. */
const BEFORE_KILL = 12;
/** The kill comes within this share of the time of a run, after it was sent or after its provider has answered. */
const SPREAD = { sent: 1.5, answered: 0.4 } as const;

/** Deadline of every run, ms. */
export const RUN_TIMEOUT_MS = 2000;

/** Where a kill is aimed: between a request and its answer. */
export const AIMS = ['start', 'denial', 'Request decision', 'Response decision', 'finish'] as const;
type Aim = (typeof AIMS)[number];

const AIMED: Readonly<Record<Aim, { readonly kind: Kind; readonly afterProvider: boolean }>> = {
  start: { kind: 'allowed', afterProvider: false },
  denial: { kind: 'before', afterProvider: false },
  'Request decision': { kind: 'request', afterProvider: false },
  'Response decision': { kind: 'response', afterProvider: true },
  finish: { kind: 'allowed', afterProvider: true },
};

/** What callers and the provider saw. */
export interface Seen extends Observations {
  /** Text of a run whose answer came → its receipt. */
  readonly answers: Map<string, string>;
  readonly called: ReadonlyMap<string, number>;
  /** How long the last runs took, ms. */
  readonly times: number[];
  /** Texts of the runs at which a kill was aimed. */
  readonly aimed: { readonly aim: Aim; readonly text: string }[];
  /** Text of a run → which of the kills it was sent before, or just after; -1: before the first. */
  readonly sent: Map<string, number>;
}

export interface PolicyRounds {
  readonly folder: string;
  readonly rounds: number;
  readonly random: () => number;
  readonly seen: Observations;
  readonly say: (line: string) => void;
}

const EXPECTED: Readonly<Record<Kind, number>> = { allowed: 200, before: 403, request: 403, response: 403 };
const RECEIPT_ID = /"receipt_id":"(rcpt_[^"]+)"/;

/** Sends one run and notes its answer. Rejects when the platform is killed. */
async function send(platform: Standalone, kind: Kind, text: string, seen: Seen): Promise<void> {
  seen.sent.set(text, seen.aimed.length - 1);
  const began = performance.now();
  const response = await platform.post('/orbisets/default/execute', { orb_id: ORB, inputs: { text } });
  const body = await response.text();
  const id = RECEIPT_ID.exec(body)?.[1];
  if (response.status !== EXPECTED[kind] || id === undefined) {
    seen.faults.push(`${text} was answered with ${response.status}: ${body.slice(0, 200)}`);
    return;
  }
  seen.times.push(performance.now() - began);
  seen.answers.set(text, id);
  seen.acknowledged.add(id);
}

const textOf = (kind: Kind): string => `${kind}-${randomUUID()}`;

async function call(platform: Standalone, first: number, seen: Seen, signal: AbortSignal): Promise<void> {
  for (let count = first; !signal.aborted; count += 1) {
    const kind = KINDS[count % KINDS.length] ?? 'allowed';
    await send(platform, kind, textOf(kind), seen);
  }
}

/** Median of the last runs, ms. */
function usualTime({ times }: Seen): number {
  const last = times.slice(-BEFORE_KILL).toSorted((one, other) => one - other);
  return last[Math.floor(last.length / 2)] ?? 0;
}

/** One kill under load, at a moment of the run that is aimed at. */
async function killAt(
  platform: Standalone,
  aim: Aim,
  provider: TextProvider,
  { random, seen }: { readonly random: () => number; readonly seen: Seen },
): Promise<void> {
  const stop = new AbortController();
  const { kind, afterProvider } = AIMED[aim];
  const text = textOf(kind);
  seen.aimed.push({ aim, text });
  const before = seen.answers.size;
  const callers = Array.from({ length: CALLERS }, (_, index) =>
    // The kill breaks the connection of each: only answers that were complete before it count.
    call(platform, index, seen, stop.signal).catch(() => undefined),
  );
  while (seen.answers.size < before + BEFORE_KILL && seen.faults.length === 0) await delay(2);
  const answered = afterProvider ? provider.answered(text, stop.signal).catch(() => undefined) : Promise.resolve();
  const aimedAt = send(platform, kind, text, seen).catch(() => undefined);
  await answered;
  const wait = random() * usualTime(seen) * (afterProvider ? SPREAD.answered : SPREAD.sent);
  if (wait >= 1) await delay(wait);
  await platform.stop('SIGKILL');
  stop.abort();
  await Promise.all([...callers, aimedAt]);
}

/** A run of each kind: the policies that held before the kill hold. */
async function checkInForce(platform: Standalone, seen: Seen): Promise<void> {
  for (const kind of KINDS) await send(platform, kind, textOf(kind), seen);
}

/**
 * Kills a platform whose policies deny in every phase, again and again, on one data folder. From the second start on its
 * files hold versions that don't compile.
 */
export async function policyRounds(
  { folder, rounds, random, seen: observed, say }: PolicyRounds,
  then: (platform: Standalone, lastKillAt: number, seen: Seen) => Promise<void>,
): Promise<Seen> {
  const provider = await startTextProvider();
  const seen: Seen = {
    ...observed,
    answers: new Map(),
    called: provider.called,
    times: [],
    aimed: [],
    sent: new Map(),
  };
  const url = `http://127.0.0.1:${provider.port}/`;
  const start = (isBroken: boolean): Promise<Standalone> =>
    startStandalone({
      data: folder,
      resources: {
        'send.json': orbManifest(ORB, { url, execution: { timeout_ms: RUN_TIMEOUT_MS } }),
        ...policyFiles(isBroken),
      },
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`],
    });
  try {
    for (let round = 0; round < rounds; round += 1) {
      const aim = AIMS[round % AIMS.length] ?? 'start';
      const platform = await start(round > 0);
      await checkInForce(platform, seen);
      await killAt(platform, aim, provider, { random, seen });
      say(`kill ${round + 1}, at ${aim}: ${seen.answers.size} answers`);
    }
    const killedAt = Date.now();
    const platform = await start(true);
    await checkInForce(platform, seen);
    await then(platform, killedAt, seen);
    return seen;
  } finally {
    provider.close();
  }
}
