import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { orbManifest } from '../../support/orbs.ts';
import { codeOf, startStandalone, type Standalone } from '../../support/standalone.ts';
import { takeCheckpoint, type Observations } from '../witness.ts';
import { policyFiles } from '../policies/kinds.ts';
import type { Aim, Step } from './aims.ts';
import { whyMissed } from './missed-kill.ts';
import type { TextProvider } from '../text-provider.ts';
import { startStandingProvider } from './provider.ts';

const ORB = 'chaos.send@1.0.0';
const PATH = '/orbisets/default/execute';
const KILL_POINT = `--import ${new URL('./kill-point.ts', import.meta.url).href}`;
const LOADERS = 2;
/** Answers of a round before its kill, at the least. */
const BEFORE_KILL = 4;
/** What was sent has reached the platform by then. */
const ARRIVED_MS = 30;
const HIT_MS = 10_000;
const RECEIPT_ID = /"receipt_id":"(rcpt_[^"]+)"/;

/** Deadline of every run, ms. */
export const RUN_TIMEOUT_MS = 2000;

/** A run at which a kill was aimed, and what became of it. */
export interface Killed {
  readonly aim: Aim;
  readonly text: string;
  /** Its `Idempotency-Key`. */
  readonly key: string;
  /** Receipts that its repeats named. */
  readonly receipts: Set<string>;
  isClosedBySweeper: boolean;
}

/** What callers saw. */
export interface StepsSeen extends Observations {
  readonly killed: Killed[];
  /** Acknowledged receipt → step of the round in which it was. */
  readonly stepOf: Map<string, Step>;
}

export interface StepRounds {
  readonly folder: string;
  readonly aims: readonly Aim[];
  readonly seen: StepsSeen;
  readonly say: (line: string) => void;
}

/** Status of a repeat, and the code of its problem. */
const EXPECTED: Readonly<Record<Aim['repeated'], readonly [status: number, code: string]>> = {
  anew: [200, ''],
  kept: [200, ''],
  open: [409, 'idempotency-in-progress'],
  denied: [403, 'policy-denied'],
};

const bodyOf = (text: string): string => JSON.stringify({ orb_id: ORB, inputs: { text } });

function prefixOf({ at, step, repeated }: Aim): string {
  if (at === 'provider') return step;
  return repeated === 'denied' ? 'before' : 'run';
}

/** Sends the head of a request and half of its body. */
async function sendHalf({ ready }: Standalone, body: string, key: string): Promise<void> {
  const { port } = new URL(ready.url);
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    `POST ${PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${ready.api_key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    `idempotency-key: ${key}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, body.length / 2)}`);
  await delay(ARRIVED_MS);
}

/** Kills at every aim in turn, on one data folder, and repeats each killed run at the next start. */
export class StepKiller {
  readonly #given: StepRounds;
  readonly #provider: TextProvider;

  private constructor(given: StepRounds, provider: TextProvider) {
    this.#given = given;
    this.#provider = provider;
  }

  static async open(given: StepRounds): Promise<StepKiller> {
    return new StepKiller(given, await startStandingProvider());
  }

  close(): void {
    this.#provider.close();
  }

  start(): Promise<Standalone> {
    const { folder } = this.#given;
    const origin = `http://127.0.0.1:${this.#provider.port}`;
    rmSync(join(folder, 'armed'), { force: true });
    rmSync(join(folder, 'hit'), { force: true });
    return startStandalone({
      data: folder,
      resources: {
        'send.json': orbManifest(ORB, { url: `${origin}/`, execution: { timeout_ms: RUN_TIMEOUT_MS } }),
        ...policyFiles(false),
      },
      flags: ['--egress-allow', origin],
      env: { NODE_OPTIONS: KILL_POINT, KILL_POINTS: folder },
    });
  }

  /** Ends at the first fault. @returns when the last kill was, ms since epoch */
  async run(): Promise<number> {
    const { aims, say, seen } = this.#given;
    for (const [number, aim] of aims.entries()) {
      const platform = await this.start();
      const before = seen.killed.at(-1);
      if (before !== undefined) await this.#repeat(platform, before, aim.step);
      if (seen.faults.length > 0) {
        await platform.stop('SIGKILL');
        break;
      }
      await this.#killAt(platform, aim);
      say(`kill ${number + 1}, ${aim.step} (${aim.at}): ${seen.acknowledged.size} receipts`);
    }
    return Date.now();
  }

  /** Repeats all killed runs when the sweeper has closed those that were open. */
  async repeatAll(platform: Standalone): Promise<void> {
    for (const killed of this.#given.seen.killed) {
      const answer = await this.#send(platform, killed);
      const isClosed = answer.code === 'run-closed';
      killed.isClosedBySweeper = isClosed;
      if (isClosed !== (killed.aim.repeated === 'open'))
        this.#fault(killed, `is answered with ${answer.status} ${answer.code} when the sweeper was there`);
      if (isClosed && !answer.text.includes('"maybe_executed":true'))
        this.#fault(killed, 'is said not to have been sent');
      if (killed.receipts.size !== 1) this.#fault(killed, `has ${killed.receipts.size} receipts`);
      const calls = this.#provider.called.get(killed.text) ?? 0;
      const expected = killed.aim.repeated === 'anew' ? 1 : killed.aim.calls;
      if (calls !== expected) this.#fault(killed, `reached its provider ${calls} times`);
    }
  }

  #fault({ aim: { step, at }, text }: Killed, what: string): void {
    this.#given.seen.faults.push(`${text}, killed at ${step} (${at}), ${what}`);
  }

  async #send(
    platform: Standalone,
    killed: Killed,
  ): Promise<{ readonly status: number; readonly code: string; readonly text: string }> {
    const headers = { 'idempotency-key': killed.key };
    const response = await platform.post(PATH, bodyOf(killed.text), headers);
    const text = await response.text();
    const id = RECEIPT_ID.exec(text)?.[1];
    if (id !== undefined) killed.receipts.add(id);
    return { status: response.status, code: codeOf(JSON.parse(text)), text };
  }

  /** The first repeat after the kill tells how far the run had come. */
  async #repeat(platform: Standalone, killed: Killed, step: Step): Promise<void> {
    const calls = this.#provider.called.get(killed.text) ?? 0;
    if (calls !== killed.aim.calls) this.#fault(killed, `had reached its provider ${calls} times`);
    const { status, code } = await this.#send(platform, killed);
    const [wanted, problem] = EXPECTED[killed.aim.repeated];
    if (status !== wanted || code !== problem) this.#fault(killed, `is answered with ${status} ${code} at once`);
    if (killed.aim.repeated !== 'open') for (const id of killed.receipts) this.#acknowledge(id, step);
  }

  #acknowledge(id: string, step: Step): void {
    const { seen } = this.#given;
    seen.acknowledged.add(id);
    seen.stepOf.set(id, step);
  }

  /** Runs of others, one after another, until `signal` aborts or the platform is killed. */
  async #load(platform: Standalone, step: Step, signal: AbortSignal): Promise<void> {
    const { seen } = this.#given;
    while (!signal.aborted) {
      const response = await platform.post(PATH, bodyOf(`load-${randomUUID()}`));
      const id = RECEIPT_ID.exec(await response.text())?.[1];
      if (response.status === 200 && id !== undefined) this.#acknowledge(id, step);
      else seen.faults.push(`a run beside the killed one was answered with ${response.status}`);
    }
  }

  async #killAt(platform: Standalone, aim: Aim): Promise<void> {
    const { seen } = this.#given;
    const before = seen.acknowledged.size;
    const stop = new AbortController();
    const load = Array.from({ length: LOADERS }, () =>
      // The kill breaks the connection: only answers that were complete before it count.
      this.#load(platform, aim.step, stop.signal).catch(() => undefined),
    );
    while (seen.acknowledged.size < before + BEFORE_KILL && seen.faults.length === 0) await delay(2);
    const note = await platform.get('/log/checkpoint');
    if (note.status === 200) takeCheckpoint(seen, await note.text());
    const text = `${prefixOf(aim)}-${randomUUID()}`;
    const killed: Killed = { aim, text, key: randomUUID(), receipts: new Set(), isClosedBySweeper: false };
    seen.killed.push(killed);
    if (aim.at === 'body half sent') await sendHalf(platform, bodyOf(text), killed.key);
    else if (aim.at === 'provider') await this.#untilStanding(platform, killed);
    else await this.#untilHit(platform, killed, { stop, load });
    await platform.stop('SIGKILL');
    stop.abort();
    await Promise.all(load);
  }

  async #untilStanding(platform: Standalone, killed: Killed): Promise<void> {
    const standing = this.#provider.answered(killed.text, AbortSignal.timeout(HIT_MS));
    const why = await whyMissed(standing, this.#send(platform, killed));
    if (why !== undefined) this.#fault(killed, why);
    await delay(ARRIVED_MS);
  }

  /** The point ends the process at the first run that passes: no other may be under way. */
  async #untilHit(
    platform: Standalone,
    killed: Killed,
    { stop, load }: { readonly stop: AbortController; readonly load: readonly Promise<void>[] },
  ): Promise<void> {
    const { folder } = this.#given;
    stop.abort();
    await Promise.all(load);
    writeFileSync(join(folder, 'armed'), killed.aim.at);
    const ended = once(platform.child, 'close', { signal: AbortSignal.timeout(HIT_MS) });
    const why = await whyMissed(ended, this.#send(platform, killed));
    if (why !== undefined) this.#fault(killed, why);
    else if (!existsSync(join(folder, 'hit'))) this.#fault(killed, 'ended before it came to where it is killed');
  }
}
