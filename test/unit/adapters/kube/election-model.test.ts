import { expect } from 'chai';
import { createElection, type Election } from '../../../../adapters/kube/election.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { createFakeKubeClient, kubeError } from '../../../support/kube/fake-kube-client.ts';
import { recordLog, recordMetrics } from '../../../support/kube/runtime-recorders.ts';
import { seeded } from '../../../support/seeded.ts';

const runs = Number(process.env['ORB_PROPERTY_RUNS'] ?? '200');
const rounds = Math.ceil(runs / 10);
const seed = Number(process.env['ORB_SEED'] ?? String(Date.now() % 1_000_000));
const FAULTS = ['none', 'none', 'refused', 'hangs', 'answer lost', 'slow'] as const;
const HOUR = 3_600_000;

/** Three processes with wall clocks hours apart, whose requests fail at random. */
async function play(random: () => number): Promise<{ readonly most: number; readonly epochs: readonly number[] }> {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const api = createFakeKubeClient();
  const faults: (typeof FAULTS)[number][] = ['none', 'none', 'none'];
  const epochs: number[] = [];
  const stop = new AbortController();
  const through =
    (place: number) =>
    async <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
      const fault = faults[place];
      if (fault === 'refused') throw kubeError(0, '');
      if (fault === 'hangs') await clock.sleep(HOUR, signal);
      if (fault === 'slow') await clock.sleep(Math.floor(random() * 4900), signal);
      const answer = await call();
      if (fault === 'slow') await clock.sleep(Math.floor(random() * 4900), signal);
      if (fault === 'answer lost') throw kubeError(504, 'Timeout');
      return answer;
    };
  const elections: readonly Election[] = faults.map((_, place) => {
    const via = through(place);
    return createElection({
      client: {
        get: (kind, ref, signal) => via(signal, () => api.get(kind, ref, signal)),
        create: (kind, object, signal) => via(signal, () => api.create(kind, object, signal)),
        update: (kind, object, signal) => via(signal, () => api.update(kind, object, signal)),
      },
      namespace: 'orb-system',
      name: 'orb-operator',
      identity: `process-${place}`,
      clock: { ...clock, now: () => clock.now() + (place - 1) * HOUR },
      random,
      logger: recordLog().logger,
      metrics: recordMetrics().metrics,
    });
  });
  const ended = elections.map((election) =>
    election.run(stop.signal, async (scope, epoch) => {
      epochs.push(epoch);
      await new Promise<void>((resolve) => scope.addEventListener('abort', () => resolve(), { once: true }));
    }),
  );
  let most = 0;
  for (let step = 0; step < 600; step += 1) {
    if (random() < 0.05) faults[Math.floor(random() * 3)] = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'none';
    await clock.advance(Math.floor(random() * 700));
    most = Math.max(most, elections.filter((election) => election.isLeading()).length);
  }
  faults.fill('none');
  stop.abort();
  await clock.advance(0);
  await clock.advance(10_000);
  await Promise.all(ended);
  return { most, epochs };
}

describe('createElection with faults', () => {
  it(`never has two leaders at one moment, and no epoch twice, in ${rounds} histories (ORB_SEED=${seed})`, async () => {
    let reigns = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { most, epochs } = await play(seeded(seed + round));
      expect(most, `seed ${seed + round}`).to.equal(1);
      expect(epochs, `seed ${seed + round}`).to.deep.equal([...new Set(epochs)].toSorted((one, other) => one - other));
      reigns += epochs.length;
    }
    expect(reigns).to.be.greaterThan(rounds * 2);
  }).timeout(runs > 200 ? 1_800_000 : 20_000);
});
