import { KINDS } from '../../../adapters/kube/kinds.ts';
import { KubeError, type Change, type Reflector } from '../../../adapters/kube/port.ts';
import { createReflector, type ReflectorOptions } from '../../../adapters/kube/reflector.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { anObject } from './kube-objects.ts';
import { recordingLogger, recordingMetrics, type RecordedLine } from './recorders.ts';
import { aPage, createScriptedApi, type ScriptedApi, type ScriptedWatch } from './scripted-api.ts';

/** A reflector that runs on the test's clock. */
export interface RunningReflector {
  readonly reflector: Reflector;
  readonly clock: FakeClock;
  readonly changes: readonly Change[];
  readonly lines: readonly RecordedLine[];
  /** `list Orb start`, `restart Orb expired` … */
  readonly reported: readonly string[];
  readonly stop: () => Promise<void>;
  /** Names in its store, sorted. */
  readonly names: () => readonly string[];
}

/** Lets pending work run; no time passes. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Starts a reflector on `client`; every random number is 0.5 by default, so a watch lives for 450 s. */
export async function startReflector(
  client: ReflectorOptions['client'],
  change: Partial<ReflectorOptions> & { readonly clock?: FakeClock } = {},
): Promise<RunningReflector> {
  const clock = change.clock ?? createFakeClock(0);
  const changes: Change[] = [];
  const logger = recordingLogger();
  const metrics = recordingMetrics();
  const stop = new AbortController();
  const reflector = createReflector({
    client,
    kind: KINDS.orb,
    selection: {},
    random: () => 0.5,
    logger,
    metrics,
    onChange: (one) => void changes.push(one),
    freeze: true,
    ...change,
    clock,
  });
  const running = reflector.run(stop.signal);
  await settle();
  return {
    reflector,
    clock,
    changes,
    lines: logger.lines,
    reported: metrics.reported,
    stop: () => {
      stop.abort();
      return running;
    },
    names: () =>
      reflector.store
        .list()
        .map(({ metadata }) => metadata.name)
        .toSorted(),
  };
}

export const refusal = (status: number, retryAfterMs?: number, causes: readonly string[] = []): KubeError =>
  new KubeError(`${status}`, { status, reason: '', causes, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

/** The watch that was opened last. */
export function lastWatch({ watches }: ScriptedApi): ScriptedWatch {
  const watch = watches.at(-1);
  if (watch === undefined) throw new Error('nothing is watched');
  return watch;
}

export interface WatchingReflector extends RunningReflector {
  readonly api: ScriptedApi;
  readonly watch: () => ScriptedWatch;
}

/** A reflector that has listed `a` at version 10 and watches. */
export async function watchingReflector(change: Parameters<typeof startReflector>[1] = {}): Promise<WatchingReflector> {
  const api = createScriptedApi();
  api.onList = () => aPage([anObject('a', 10)], 10);
  return { ...(await startReflector(api.client, change)), api, watch: () => lastWatch(api) };
}
