import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { STATES } from '../../../adapters/ledger/tables/deliveries.ts';
import { endWithUs } from '../../../hack/bench/clean-end.ts';
import { secret } from '../../support/cluster-objects.ts';
import { ledgerFileOf } from '../../support/data-ledger.ts';
import { orbManifest } from '../../support/orbs.ts';
import { sourceObject } from '../../support/signal-sources.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { untilTrue } from '../../support/wait-for.ts';
import { ageDeliveries, openIngestEye, type Aged, type IngestEye } from './eye.ts';
import { blockOf, type Block } from './messages.ts';
import { Sender, SOURCE, TOKEN } from './sender.ts';

/** Where a kill is aimed. */
export const AIMS = ['row', 'answer', 'mapping', 'redrive', 'retention'] as const;
type Aim = (typeof AIMS)[number];

/** An Orb that is there from the start. */
export const ORB = 'chaos.send@1.0.0';
/** Blocks of one round; each has four messages. */
const BLOCKS = 10;
/** A moment that does not come: the kill comes anyway. */
const MOMENT_MS = 5000;
const HOUR_MS = 3_600_000;

export interface IngestRounds {
  readonly folder: string;
  readonly rounds: number;
  readonly random: () => number;
  readonly say?: (line: string) => void;
}

/** What was sent, and what was hit. */
export interface IngestSeen {
  readonly sender: Sender;
  readonly blocks: readonly Block[];
  /** Orbs by their ids, with their addresses. */
  readonly orbs: ReadonlyMap<string, string>;
  readonly aged: Aged;
  /** Kills that hit what they were aimed at. */
  readonly struck: Readonly<Record<Aim, number>>;
}

/** Kills a platform that receives, again and again, on one data folder. */
class Rounds {
  readonly sender = new Sender();
  readonly blocks: Block[] = [];
  readonly orbs = new Map<string, string>([[ORB, 'https://api.send.example/']]);
  readonly struck: Record<Aim, number> = { row: 0, answer: 0, mapping: 0, redrive: 0, retention: 0 };
  aged: Aged = { goneUpTo: 0, emptyUpTo: 0 };
  readonly #options: IngestRounds;
  readonly #base = Date.now() - 48 * HOUR_MS;

  constructor(options: IngestRounds) {
    this.#options = options;
  }

  get file(): string {
    return ledgerFileOf(join(this.#options.folder, 'data'));
  }

  readonly start = (onSpawn?: (pid: number | undefined) => void): Promise<Standalone> =>
    startStandalone({
      data: this.#options.folder,
      resources: {
        'send.json': orbManifest(ORB, { url: this.orbs.get(ORB) ?? '' }),
        'source.json': JSON.stringify(
          sourceObject('am', {
            type: 'alertmanager',
            mode: 'Active',
            auth: { secretRefs: [{ name: 'hook', key: 'token' }] },
            limits: { rps: 1000, burst: 10_000 },
          }),
        ),
        'secret.json': JSON.stringify(secret('hook', { token: TOKEN })),
      },
      flags: ['--trusted-proxy', '127.0.0.1/32'],
      onSpawn: (child) => onSpawn?.(endWithUs(child, true).pid),
    });

  /** Sends again what was not answered, as vendors do, and what died once more. */
  async recover(platform: Standalone): Promise<void> {
    const { sender } = this;
    await sender.to(platform);
    await Promise.all(sender.unanswered.map((message) => sender.send(message)));
    const answer = await platform.post('/dead-letters/redrive', { source: SOURCE, reason: 'no_entity', max: 10_000 });
    const text = await answer.text();
    if (!answer.ok) sender.faults.push(`redrive was answered with ${answer.status}: ${text}`);
  }

  #newBlocks(orb: string): readonly Block[] {
    const added = Array.from({ length: BLOCKS }, (_, index) => blockOf(this.blocks.length + index, orb, this.#base));
    this.blocks.push(...added);
    return added;
  }

  /** Sends blocks at once, in any order. The kill breaks the connections. */
  #burst(orb: string): Promise<unknown> {
    const messages = this.#newBlocks(orb).flatMap((block) => block.messages);
    const keyed = messages.map((message) => [this.#options.random(), message] as const);
    const shuffled = keyed.toSorted(([one], [other]) => one - other).map(([, message]) => message);
    return Promise.all(shuffled.map((message) => this.sender.send(message).catch(() => undefined)));
  }

  async #moment(isIt: () => boolean): Promise<void> {
    const until = performance.now() + MOMENT_MS;
    while (!isIt() && performance.now() < until) await nextTurn();
  }

  /** Waits for the moment of an aim. @returns what ends with the kill, and whether it was the moment */
  readonly #aims: Readonly<
    Record<Exclude<Aim, 'retention'>, (platform: Standalone, eye: IngestEye) => Promise<() => boolean>>
  > = {
    row: async (_, eye) => {
      const [before, skip] = [eye.newest(), Math.floor(this.#options.random() * 3)];
      void this.#burst(ORB);
      await this.#moment(() => eye.newest() > before + skip);
      return () => this.#isUnanswered(eye);
    },
    answer: async (_, eye) => {
      const before = this.sender.answers.size;
      const wanted = 1 + Math.floor(this.#options.random() * 2 * BLOCKS);
      void this.#burst(ORB);
      await this.#moment(() => this.sender.answers.size >= before + wanted);
      return () => this.#isAnsweredAndWaiting(eye);
    },
    mapping: async (_, eye) => {
      const sent = this.#burst(ORB);
      await sent;
      let [left, isIn] = [Math.floor(this.#options.random() * 4), false];
      await this.#moment(() => {
        isIn = eye.isWriting();
        left -= isIn ? 1 : 0;
        return left < 0 || eye.waiting() === 0;
      });
      return () => isIn && eye.waiting() > 0;
    },
    redrive: async (platform, eye) => {
      await this.#die(platform, eye);
      const dead = eye.dead();
      let isAnswered = false;
      const request = { source: SOURCE, reason: 'no_entity', max: 10_000 };
      platform.post('/dead-letters/redrive', request).then(
        (answer) => {
          isAnswered = true;
          return answer.text();
        },
        () => undefined,
      );
      await this.#moment(() => eye.dead() < dead || eye.isWriting());
      return () => !isAnswered;
    },
  };

  /** Deliveries about an Orb that comes only after they died. */
  async #die(platform: Standalone, eye: IngestEye): Promise<void> {
    const orb = `chaos.late${this.blocks.length}@1.0.0`;
    const url = `https://late${this.blocks.length}.example/`;
    await this.#burst(orb);
    await untilTrue('nothing waits', () => eye.waiting() === 0);
    this.orbs.set(orb, url);
    writeFileSync(join(platform.resources, `late${this.blocks.length}.json`), orbManifest(orb, { url }));
    await untilTrue('the Orb is there', async () => {
      const answer = await platform.get(`/providers/${encodeURIComponent(orb)}/status`);
      await answer.text();
      return answer.ok;
    });
  }

  #isUnanswered(eye: IngestEye): boolean {
    const answered = new Set(this.sender.answers.values());
    return eye.deliveries().some(({ seq, deliveryId }) => seq > this.aged.goneUpTo && !answered.has(deliveryId));
  }

  #isAnsweredAndWaiting(eye: IngestEye): boolean {
    const answered = new Set(this.sender.answers.values());
    return eye.deliveries().some(({ deliveryId, state }) => state === STATES.accepted && answered.has(deliveryId));
  }

  async #killAt(aim: Exclude<Aim, 'retention'>): Promise<boolean> {
    const platform = await this.start();
    await this.recover(platform);
    const eye = openIngestEye(this.file);
    try {
      const isHit = await this.#aims[aim](platform, eye);
      await platform.stop('SIGKILL');
      // Answers that were complete before the kill are read in the next turns.
      await delay(20);
      return isHit();
    } finally {
      eye.close();
    }
  }

  /** Kills while a start erases what is old. */
  async #killInRetention(): Promise<boolean> {
    const mapped = await this.start();
    await this.recover(mapped);
    const sent = this.#burst(ORB);
    await sent;
    await this.untilMapped();
    await mapped.stop();
    this.aged = ageDeliveries(this.file, this.aged);
    const eye = openIngestEye(this.file);
    const skip = this.#options.random() < 0.2 ? 1 : 0;
    let changes = 0;
    let seen = `${eye.bodies()} ${eye.signals()}`;
    const isErasing = (): boolean => {
      const found = `${eye.bodies()} ${eye.signals()}`;
      if (found !== seen) changes += 1;
      seen = found;
      return changes > skip;
    };
    try {
      let pid: number | undefined;
      const starting = this.start((own) => void (pid = own)).catch(() => undefined);
      // It takes milliseconds: nothing else is done meanwhile.
      const until = performance.now() + MOMENT_MS;
      while (!isErasing() && performance.now() < until);
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      await (await starting)?.stop('SIGKILL');
      const left = eye.deliveries().filter(({ seq, hasBody }) => seq <= this.aged.emptyUpTo && hasBody).length;
      const old = eye.deliveries().filter(({ seq }) => seq <= this.aged.goneUpTo).length;
      return changes > 0 && left + old > 0;
    } finally {
      eye.close();
    }
  }

  async untilMapped(): Promise<void> {
    const eye = openIngestEye(this.file);
    try {
      await untilTrue('every delivery is mapped', () => eye.waiting() === 0, 120_000);
    } finally {
      eye.close();
    }
  }

  async untilErased(): Promise<void> {
    const eye = openIngestEye(this.file);
    const { emptyUpTo, goneUpTo } = this.aged;
    const isErased = (): boolean =>
      eye.deliveries().every(({ seq, hasBody }) => seq > emptyUpTo || (seq > goneUpTo && !hasBody));
    try {
      await untilTrue('what is old is erased', isErased);
    } finally {
      eye.close();
    }
  }

  async run(): Promise<void> {
    const { rounds, say } = this.#options;
    for (let round = 0; round < rounds; round += 1) {
      const aim = AIMS[round % AIMS.length] ?? 'row';
      const isHit = aim === 'retention' ? await this.#killInRetention() : await this.#killAt(aim);
      if (isHit) this.struck[aim] += 1;
      say?.(`kill ${round + 1}, at ${aim}${isHit ? '' : ' (missed)'}: ${this.sender.answers.size} messages answered`);
    }
  }
}

/**
 * Kills standalone at every step of ingestion, and lets it finish in the end.
 * @returns what was sent, and how often each step was hit
 */
export async function ingestRounds(options: IngestRounds): Promise<IngestSeen> {
  rmSync(join(options.folder, 'data'), { recursive: true, force: true });
  const rounds = new Rounds(options);
  await rounds.run();
  const last = await rounds.start();
  await rounds.recover(last);
  await rounds.untilMapped();
  await rounds.untilErased();
  const code = await last.stop();
  if (code !== 0) rounds.sender.faults.push(`the last stop ended with ${code}`);
  return rounds;
}
