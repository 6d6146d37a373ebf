import { createElection, type Election } from '../../../adapters/kube/election.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { FakeClock } from '../fake-clock.ts';
import { seeded } from '../seeded.ts';
import { kubeError, type FakeKubeClient } from './fake-kube-client.ts';
import { recordLog, recordMetrics, type RecordedLog } from './runtime-recorders.ts';

export const LEASE = { namespace: 'orb-system', name: 'orb-operator' };

type Fault = 'none' | 'refused' | 'hangs' | 'answer lost';

export interface Candidate {
  readonly election: Election;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly log: RecordedLog;
  /** Epochs in which it was the leader, in order. */
  readonly epochs: readonly number[];
  /** Why each scope ended. */
  readonly ends: readonly unknown[];
  /** Requests of this candidate fail or hang while it is set. */
  fault: Fault;
}

interface CandidateOptions {
  readonly seed?: number;
  readonly identity?: string;
  readonly now?: () => number;
  /** Value of `fault` from the start. */
  readonly begins?: Fault;
  readonly lead?: (scope: AbortSignal) => Promise<void>;
}

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** A started process with its own view of the API server and of the wall clock. */
export async function candidate(
  api: FakeKubeClient,
  clock: FakeClock,
  name: string,
  options: CandidateOptions = {},
): Promise<Candidate> {
  const { seed = 1, identity = name, now = clock.now, lead = untilAborted } = options;
  let { begins: fault = 'none' } = options;
  const log = recordLog();
  const epochs: number[] = [];
  const ends: unknown[] = [];
  const own: Clock = { ...clock, now };
  const through = async <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    if (fault === 'refused') throw kubeError(0, '');
    if (fault === 'hangs') await untilAborted(signal);
    signal.throwIfAborted();
    const answer = await call();
    if (fault === 'answer lost') throw kubeError(504, 'Timeout');
    return answer;
  };
  const election = createElection({
    client: {
      get: (kind, ref, signal) => through(signal, () => api.get(kind, ref, signal)),
      create: (kind, object, signal) => through(signal, () => api.create(kind, object, signal)),
      update: (kind, object, signal) => through(signal, () => api.update(kind, object, signal)),
    },
    ...LEASE,
    identity,
    clock: own,
    random: seeded(seed),
    logger: log.logger,
    metrics: recordMetrics().metrics,
  });
  const stop = new AbortController();
  const ended = election.run(stop.signal, async (scope, epoch) => {
    epochs.push(epoch);
    await lead(scope);
    ends.push(scope.reason);
  });
  await clock.advance(0);
  return {
    election,
    stop,
    ended,
    log,
    epochs,
    ends,
    get fault(): Fault {
      return fault;
    },
    set fault(next) {
      fault = next;
    },
  };
}

export const leaders = (...all: readonly Candidate[]): readonly boolean[] =>
  all.map(({ election }) => election.isLeading());
