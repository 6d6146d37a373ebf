import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import type { Controller } from './controller.ts';
import type { Election } from './election.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Reflector } from './port.ts';
import { within } from './within.ts';

/** Work that only the leader does. A `Controller` is such a task. */
export interface LeaderTask extends Pick<Controller, 'name' | 'run'> {
  /** Ends runs in flight before leadership is given up; takes at most `ms`. */
  readonly drain?: Controller['drain'];
}

interface ManagerOptions {
  /** `ready()` shows these names. Followers keep these caches too. */
  readonly reflectors: Readonly<Record<string, Reflector>>;
  readonly election: Pick<Election, 'run'>;
  readonly controllers: readonly LeaderTask[];
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Starts and ends the parts of an operator in order (operator.md A11). */
export interface Manager {
  /**
   * Runs until the signal is aborted, then ends everything within 10 s: runs in flight ≤ 6 s, Events ≤ 1 s. The lease
   * is released after these, and reflectors end last. Never rejects. Call it once.
   */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Names of what is missing until this process is ready; empty when it is ready. */
  readonly ready: () => readonly string[];
}

const SYNC_MS = 120_000;
const SILENT_MS = 5 * 60_000;
const DRAIN_MS = 6000;
const FLUSH_MS = 1000;
/** Time for the election: up to 3 s for work that should have ended at the drain already, and 1 s for the release. */
const RELEASE_MS = 2000;
const END_MS = 500;
/** Wait before a failed leader task starts again. */
const AGAIN_MS = 5000;

/** Describes a failure by status and reason only: a message may hold anything. */
function causeOf(reflector: Reflector): string {
  const failure = reflector.failure();
  if (failure === undefined) return '';
  return failure.status === 0 ? ': the API server does not answer' : `: ${failure.status} ${failure.reason}`;
}

type Phase = 'not started' | 'running' | 'stopping';

class Parts implements Manager {
  readonly #options: ManagerOptions;
  #phase: Phase = 'not started';

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  readonly ready: Manager['ready'] = () => {
    if (this.#phase !== 'running') return [this.#phase];
    const now = this.#options.clock.monotonic();
    return Object.entries(this.#options.reflectors).flatMap(([name, reflector]) => {
      if (!reflector.hasSynced()) return [`cache of ${name} is not filled yet${causeOf(reflector)}`];
      return now - reflector.lastContactMs() > SILENT_MS ? [`nothing heard of ${name} for 5 min`] : [];
    });
  };

  readonly run: Manager['run'] = async (signal) => {
    const caches = new AbortController();
    const leading = new AbortController();
    this.#phase = 'running';
    const reflecting = Promise.all(this.#reflectors().map((reflector) => reflector.run(caches.signal)));
    const recording = this.#options.recorder.run(caches.signal);
    const campaign = this.#campaign(AbortSignal.any([signal, leading.signal]), leading.signal);
    await aborted(signal);
    this.#phase = 'stopping';
    await this.#stop(campaign, leading);
    caches.abort();
    await this.#atMost(END_MS, 'caches', Promise.all([reflecting, recording]));
  };

  #reflectors(): readonly Reflector[] {
    return Object.values(this.#options.reflectors);
  }

  /** @param waiting ends the wait for caches at once; `leading` ends the campaign, after runs in flight were drained */
  async #campaign(waiting: AbortSignal, leading: AbortSignal): Promise<void> {
    if (!(await this.#synced(waiting))) return;
    await this.#options.election.run(leading, async (scope) => {
      await Promise.all(this.#options.controllers.map((task) => this.#keepRunning(task, scope)));
      // Drained tasks have ended; the lease is kept until their Events are written.
      await aborted(scope);
    });
  }

  /** @returns false when it was aborted before */
  async #synced(signal: AbortSignal): Promise<boolean> {
    const { clock, logger } = this.#options;
    const all = Promise.all(this.#reflectors().map(({ synced }) => synced)).then(() => true);
    const ended = aborted(signal).then(() => false);
    const late = async (limited: AbortSignal): Promise<undefined> => {
      await clock.sleep(SYNC_MS, limited).catch(() => undefined);
      if (!limited.aborted) logger.error('caches are not filled after 2 min', { missing: this.ready().join('; ') });
      return undefined;
    };
    const waited = new AbortController();
    const first = await Promise.race([all, ended, late(waited.signal)]);
    waited.abort();
    return first ?? Promise.race([all, ended]);
  }

  async #keepRunning(task: LeaderTask, scope: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!scope.aborted) {
      try {
        return await task.run(scope);
      } catch (error) {
        if (scope.aborted) return;
        logger.error('a task of the leader failed and begins again', { task: task.name, error });
        await clock.sleep(AGAIN_MS, scope).catch(() => undefined);
      }
    }
  }

  async #stop(campaign: Promise<void>, leading: AbortController): Promise<void> {
    const { controllers, recorder } = this.#options;
    await Promise.all(controllers.map(async (task) => task.drain?.(DRAIN_MS)));
    await recorder.flush(FLUSH_MS);
    leading.abort();
    await this.#atMost(RELEASE_MS, 'lease', campaign);
  }

  async #atMost(ms: number, what: string, work: Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#options;
    const never = new AbortController().signal;
    try {
      await within({ clock, ms, what }, never, (signal) => Promise.race([work, rejected(signal)]));
    } catch (error) {
      logger.warn('the end of a part was not waited for any longer', { part: what, error });
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function rejected(signal: AbortSignal): Promise<void> {
  await aborted(signal);
  signal.throwIfAborted();
}

export const createManager = (options: ManagerOptions): Manager => new Parts(options);
