import type { JsonObject } from '../../../core/json/json-value.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import type { Observations } from '../witness.ts';
import type { Act, Asked } from './act.ts';
import type { Aim } from './aims.ts';
import { entryFaults } from './check-entries.ts';
import { runLive } from './live-run.ts';
import { AimPlan } from './next-aim.ts';
import { WatchedLog } from './read-log.ts';
import { postPublication } from './request.ts';
import { complete, settle, type Settling } from './settle.ts';
import { StepCounts, type Pace } from './steps.ts';
import { strike } from './strike.ts';
import type { Running, Subject } from './subject.ts';
import type { Track } from './track.ts';
import { Tracks } from './tracks.ts';
import { submissionOf, type Version } from './version.ts';

export interface RoundsOptions {
  readonly subject: Subject;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  /** Receives checkpoints and faults. */
  readonly seen: Observations;
  readonly say: (line: string) => void;
  /** Longest time until everything of a version is there, ms. */
  readonly withinMs: number;
}

/** Published before the first kill. */
const OPENING = 3;
const MEASURED = 3;
const EARLY_MS = 1500;
/** A checkpoint is signed a second after growth; a busy machine takes longer. */
const SIGNED_MS = 20_000;
/** How often something else is published at the same time, and how often the same by a second caller. */
const COMPANION_SHARE = 0.5;
const TWIN_SHARE = 0.25;

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Publishes, tests again, deprecates and yanks versions of a platform that is killed at each step, and checks what is left. */
export class PublishRounds {
  readonly counts = new StepCounts();
  readonly tracks: Tracks;
  readonly #options: RoundsOptions;
  readonly #log: WatchedLog;
  readonly #plan: AimPlan;
  /** Accepted publications, to send them again. */
  readonly #bodies = new Map<Track, JsonObject>();
  /** Acts of the last kills that were not looked at yet. */
  #asked: readonly Asked[] = [];
  /** Versions that the process of now can execute: a deprecation brings older ones among the newest active ones. */
  #executable: ReadonlySet<Track> = new Set();
  /** Entries that were committed before the last kill. */
  #size = 0;
  #pace: Pace = { beforeTestsMs: 0, testedMs: 0 };

  constructor(options: RoundsOptions) {
    const { subject, random, seen } = options;
    this.#options = options;
    this.tracks = new Tracks(subject.providerUrl);
    this.#log = new WatchedLog(seen);
    this.#plan = new AimPlan(subject.aims, this.counts, random);
  }

  /** Kills the platform so many times, looks at everything once more, and ends it in good order. */
  async run(kills: number): Promise<void> {
    const { subject, random, say, seen } = this.#options;
    await this.#open();
    for (let kill = 1; kill <= kills; kill += 1) {
      const aim = this.#nextAim();
      const before = seen.faults.length;
      if (aim.kind === 'restart') {
        await subject.killEarly(this.#nextExecutable([]), random() * EARLY_MS);
        this.counts.add(aim.kind, aim.step);
        say(`kill ${kill}: while it starts`);
        continue;
      }
      const added = this.tracks.add(2);
      say(`kill ${kill}: ${await this.#kill(await this.#restart(added), aim, added)}`);
      for (const fault of seen.faults.slice(before)) say(`  FAULT ${fault}`);
    }
    const running = await this.#restart([]);
    await this.#checkAll(running);
    await this.#stop(running);
  }

  async #stop(running: Running): Promise<void> {
    const code = await running.stop();
    if (code !== 0) this.#options.seen.faults.push(`SIGTERM ended it with ${code}`);
  }

  #nextAim(): Aim {
    const active = this.tracks.listed('active').length;
    return this.#plan.next(({ kind }) => kind === 'publish' || kind === 'apply' || kind === 'restart' || active > 1);
  }

  /** What the next process must be able to execute. */
  #nextExecutable(added: readonly Track[]): readonly Version[] {
    this.#executable = this.tracks.executable([...this.#asked.map(({ act }) => act.track), ...added]);
    return [...this.#executable].map(({ version }) => version);
  }

  /** Starts it again, and looks at what the kills left. */
  async #restart(added: readonly Track[]): Promise<Running> {
    const running = await this.#options.subject.start(this.#nextExecutable(added));
    await this.#readAll(running);
    await settle(this.#settling(running), this.#asked);
    this.#asked = [];
    await this.#checkLog(running);
    return running;
  }

  /** Waits for the checkpoint that covers what was committed: before it, the log seems to lack what happened last. */
  async #readAll({ url }: Running): Promise<void> {
    const sizeNow = async (): Promise<number> => (await this.#log.read(url)).length;
    const size = await lastAnswer(sizeNow, (found) => found >= this.#size, SIGNED_MS, 100);
    if (size < this.#size)
      this.#options.seen.faults.push(`${this.#size} entries were committed, and ${size} are signed`);
  }

  #settling(running: Running): Settling {
    const { subject, withinMs, seen } = this.#options;
    return { subject, running, log: this.#log, faults: seen.faults, withinMs };
  }

  async #checkLog({ url }: Running): Promise<void> {
    const { faults } = this.#options.seen;
    const found = entryFaults(await this.#log.read(url), this.tracks.all());
    faults.push(...found.filter((fault) => !faults.includes(fault)));
  }

  /** Every version once more: later kills have not changed it. */
  async #checkAll(running: Running): Promise<void> {
    const { seen } = this.#options;
    const listed = this.tracks.all().filter(({ isListed }) => isListed);
    const settling = this.#settling(running);
    const began = performance.now();
    for (const track of listed) await complete(settling, track, began, 'the last restart');
    await this.#checkLog(running);
    if (listed.length <= OPENING) seen.faults.push('nothing was published between the kills');
  }

  /** Publishes the first versions without a kill, and measures how long the stages take. */
  async #open(): Promise<void> {
    const { subject } = this.#options;
    const first = this.tracks.add(OPENING);
    const running = await subject.start(this.#nextExecutable(first));
    const asked: Asked[] = [];
    for (const track of first) asked.push({ act: await this.#submission(running, track), isAcknowledged: false });
    await settle(this.#settling(running), asked);
    this.#pace = await this.#measure(running, asked[0]?.act);
    await this.#stop(running);
  }

  async #measure(running: Running, act: Act | undefined): Promise<Pace> {
    if (act?.kind !== 'submit') throw new Error('nothing was published');
    const manifest = { ...act.track.version.manifest, description: 'Other bytes under the same version.' };
    const timeOf = async (query: string, body: JsonObject, expected: number): Promise<number> => {
      const times: number[] = [];
      while (times.length < MEASURED) {
        const began = performance.now();
        const answer = await postPublication(running, body, query);
        if (answer?.status !== expected) throw new Error(`${answer?.status} ${answer?.text}, not ${expected}`);
        times.push(performance.now() - began);
      }
      return median(times);
    };
    return {
      beforeTestsMs: await timeOf('', { ...act.body, manifest }, 409),
      testedMs: await timeOf('?dry_run=true', act.body, 200),
    };
  }

  async #submission(running: Running, track: Track): Promise<Extract<Act, { kind: 'submit' }>> {
    const run = await runLive(running, this.#options.subject.orbiset, track.version);
    const body = submissionOf(track.version, run);
    this.#bodies.set(track, body);
    return { kind: 'submit', track, body };
  }

  #pick(tracks: readonly Track[]): Track {
    const track = tracks[Math.floor(this.#options.random() * tracks.length)];
    if (track === undefined) throw new Error('no version is listed');
    return track;
  }

  /** The act that a kill is aimed at. */
  async #focus(running: Running, aim: Aim, fresh: Track): Promise<Act> {
    switch (aim.kind) {
      case 'publish':
        return this.#submission(running, fresh);
      case 'apply':
        return { ...(await this.#submission(running, fresh)), kind: 'apply' };
      case 'report':
        return this.#submission(
          running,
          this.#pick(this.tracks.listed('active').filter((known) => this.#executable.has(known))),
        );
      case 'again': {
        const track = this.#pick(this.tracks.listed('active').filter((known) => this.#bodies.has(known)));
        return { kind: 'submit', track, body: this.#bodies.get(track) ?? {} };
      }
      case 'deprecate':
        return { kind: 'status', track: this.#pick(this.tracks.listed('active')), to: 'deprecated' };
      case 'yank':
        return { kind: 'status', track: this.#pick(this.tracks.listed('active', 'deprecated')), to: 'yanked' };
      case 'restart':
        throw new TypeError('a restart is no act');
      default:
        return aim.kind satisfies never;
    }
  }

  /** What others do at the same time. */
  async #companions(running: Running, focus: Act, fresh: Track): Promise<readonly Act[]> {
    const { random } = this.#options;
    const twin = focus.kind === 'submit' && random() < TWIN_SHARE ? [focus] : [];
    const other = random() < COMPANION_SHARE ? [await this.#submission(running, fresh)] : [];
    return [...twin, ...other];
  }

  async #kill(running: Running, aim: Aim, [fresh, other]: readonly Track[]): Promise<string> {
    const { subject, random, seen } = this.#options;
    if (fresh === undefined || other === undefined) throw new TypeError('two new versions are needed');
    const focus = await this.#focus(running, aim, fresh);
    const companions = await this.#companions(running, focus, other);
    const scene = { subject, running, random, pace: this.#pace, faults: seen.faults };
    const { step, asked, disturbance, size } = await strike(scene, aim, [focus, ...companions]);
    this.#asked = asked;
    this.#size = size;
    this.counts.add(aim.kind, step);
    const beside = companions.length === 0 ? '' : `, ${companions.length} other acts`;
    return `${aim.kind}: ${step}${beside}${disturbance === '' ? '' : `, ${disturbance}`}`;
  }
}
