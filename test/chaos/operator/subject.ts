import { setTimeout as delay } from 'node:timers/promises';
import { startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { startCountingProxy, type CountingProxy } from '../rig/counting-proxy.ts';
import { crashAndRestart } from '../rig/crash.ts';
import { checkOutput } from '../rig/oracles/process-health.ts';
import type { CrashMode } from '../rig/rules.ts';
import type { WritePoint } from '../rig/write-points.ts';
import { leaderOf, removeLease, untilTrue, type World } from './world.ts';

/** What else happens at a crash. */
interface AroundCrash {
  /** Right before the process is killed. */
  readonly killing?: () => void;
  /** After the old process is gone. @returns address of the server for the next process */
  readonly server?: () => string;
}

/** The operator of a run, behind a proxy; restarted after each kill. */
export interface Subject {
  readonly proxy: CountingProxy;
  /** Ends it by SIGKILL at this write, and starts it again. Call it once. */
  readonly crashAt: (point: WritePoint, when: CrashMode, around?: AroundCrash) => void;
  /** Monotonic ms of the last start. */
  readonly startedAt: () => number;
  readonly kills: () => number;
  /** Resolves when it leads again after a crash, which begins when its write arrives; at once before that. */
  readonly settled: () => Promise<void>;
  /** Ends it by SIGTERM. @returns faults of its processes: oracle i */
  readonly stop: () => Promise<readonly string[]>;
}

const ALL_LINES = 100_000;
const STOP_MS = 10_000;
const LEADS_MS = 30_000;
// Lifetime of watches, as in fault runs of reliability.md §2.1.
const WATCH_SECONDS = [10, 20] as const;

const alreadyUp = (): Promise<void> => Promise.resolve();

/** Resolves when it leads. @param random in [0, 1), seeded */
export async function startSubject(
  world: World,
  random: () => number,
  flags: readonly string[] = [],
): Promise<Subject> {
  const { plane } = world;
  const watchSeconds = (): number => WATCH_SECONDS[0] + Math.floor(random() * (WATCH_SECONDS[1] - WATCH_SECONDS[0]));
  const proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca, watchSeconds });
  const faults: string[] = [];
  let startedAt = 0;
  let kills = 0;
  let operator: OperatorProcess;
  let restarted = alreadyUp;
  const start = async (url: string, unready: boolean): Promise<void> => {
    startedAt = performance.now();
    const connection = ['--kube-server', url, '--kube-token-file', plane.users.operator.tokenFile];
    operator = await startOperator(plane, { connection, flags, unready });
  };
  const leads = (): Promise<void> =>
    untilTrue('the operator does not lead', async () => (await leaderOf(world)) !== '', LEADS_MS).catch(
      (error: unknown) => {
        const state = operator.process.ended() ? 'it has ended' : 'it runs';
        throw new Error(`${String(error)}; ${state}: ${operator.process.tail(20)}`, { cause: error });
      },
    );
  const note = (): void => void faults.push(...checkOutput(operator.process.tail(ALL_LINES)));
  const again = async (server: () => string): Promise<void> => {
    note();
    await operator.stop();
    await removeLease(world);
    await start(server(), true);
    await leads();
  };
  await start(proxy.url, false);
  await leads();
  return {
    proxy,
    crashAt: (point, when, { killing, server = () => proxy.url } = {}) => {
      const kill = async (): Promise<void> => {
        kills += 1;
        killing?.();
        operator.process.kill('SIGKILL');
        await operator.process.exited;
      };
      const crash = crashAndRestart(point, when, { kill, restart: () => again(server) });
      restarted = crash.restarted;
      proxy.addRule(crash.rule);
    },
    startedAt: () => startedAt,
    kills: () => kills,
    settled: () => restarted(),
    stop: async () => {
      await restarted();
      const early = operator.process.ended();
      const began = performance.now();
      operator.process.kill('SIGTERM');
      const code = await Promise.race([operator.process.exited, delay(STOP_MS, 'late' as const)]);
      note();
      if (early) faults.push(`the operator ended by itself: ${operator.process.tail(5)}`);
      else if (code !== 0) faults.push(`${code} ${Math.round(performance.now() - began)} ms after SIGTERM`);
      await operator.stop();
      await proxy.close();
      return faults;
    },
  };
}
