import { expect } from 'chai';
import { done, type Outcome } from '../../../../core/reconcile/outcome.ts';
import { NotLeading } from '../../../../core/errors/not-leading.ts';
import { KubeError } from '../../../../adapters/kube/port.ts';
import { started, untilAborted, type Reconcile } from '../../../support/kube/a-controller.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

const failing = (error: unknown) => async (): Promise<Outcome> => {
  throw error;
};

describe('createController', () => {
  const conflict = kubeError(409, 'Conflict');
  const outcomes: readonly (readonly [string, Reconcile, readonly number[], Readonly<Record<string, number>>])[] = [
    ['ends with done', async () => done, [0], { 'ended orb success': 1 }],
    [
      'runs again after the time that was asked for',
      async () => ({ kind: 'requeue-after', ms: 4000, why: 'a pin ends' }),
      [0, 4000, 8000],
      { 'ended orb requeue_after': 3 },
    ],
    [
      'runs again after waiting, without an error',
      async () => ({ kind: 'waiting', ms: 9000, reason: 'PolicyMissing' }),
      [0, 9000],
      { 'ended orb requeue_after': 2 },
    ],
    [
      'does not repeat what a person must mend',
      async () => ({ kind: 'stalled', reason: 'ManifestInvalid', message: 'no' }),
      [0],
      { 'ended orb success': 1, 'terminal orb': 1 },
    ],
    [
      'repeats what a person must mend, when it changes by itself too',
      async () => ({ kind: 'stalled', reason: 'ManifestInvalid', message: 'no', ms: 4000 }),
      [0, 4000, 8000],
      { 'ended orb success': 3, 'terminal orb': 3 },
    ],
    [
      'repeats an error with back-off',
      failing(kubeError(500, 'InternalError')),
      [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115],
      { 'ended orb error': 11, 'retried orb': 11 },
    ],
    [
      'counts an exception that nobody meant as a panic',
      failing(new TypeError('x is undefined')),
      [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115],
      { 'ended orb error': 11, 'retried orb': 11, 'panic orb': 11 },
    ],
    [
      'repeats a field that belongs to somebody else as an error',
      failing(kubeError(409, 'Conflict', ['FieldManagerConflict'])),
      [0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 5115],
      { 'ended orb error': 11, 'retried orb': 11 },
    ],
  ];
  for (const [why, reconcile, times, expected] of outcomes) {
    it(why, async () => {
      const { clock, queue, runs, counts } = started(reconcile);
      queue.add('ns/a');
      await clock.advance(0);
      await clock.advance(10_000);
      expect(runs['ns/a']).to.deep.equal(times);
      expect(counts()).to.include(expected);
      expect(Object.keys(counts()).filter((name) => name.startsWith('ended orb '))).to.have.length(1);
    });
  }

  it('hides a conflict and runs again within 100 ms', async () => {
    const { clock, queue, runs, counts, log } = started(failing(conflict));
    queue.add('a');
    await clock.advance(0);
    await clock.advance(99);
    expect(runs['a']).to.deep.equal([0, 50]);
    expect(counts()).to.include({ 'ended orb requeue': 2 }).and.not.have.any.keys('ended orb error', 'retried orb');
    expect(queue.failures('a')).to.equal(0);
    expect(log.texts().filter((text) => !text.startsWith('debug'))).to.deep.equal([]);
  });

  it('runs again when the process did not lead for a moment, and counts no error', async () => {
    const { clock, queue, runs, counts } = started(failing(new NotLeading()));
    queue.add('a');
    await clock.advance(0);
    await clock.advance(1000);
    expect(runs['a']).to.deep.equal([0, 1000]);
    expect(counts()).to.include({ 'ended orb requeue': 2 }).and.not.have.any.keys('ended orb error');
  });

  it('ends a run after 60 s and repeats it', async () => {
    const { clock, queue, runs, counts } = started((_key, { signal }) => untilAborted(signal));
    queue.add('a');
    await clock.advance(0);
    await clock.advance(60_004);
    expect(runs['a']).to.deep.equal([0]);
    await clock.advance(1);
    expect(runs['a']).to.deep.equal([0, 60_005]);
    expect(counts()).to.include({ 'timeout orb': 1, 'ended orb error': 1 });
  });

  it('gives a worker back that a run would hold for ever, and never runs its key twice at once', async () => {
    const { promise: stuck, resolve: release } = Promise.withResolvers<Outcome>();
    const { clock, queue, runs, log } = started(async (key) => (key === 'stuck' ? stuck : done), { workers: 1 });
    queue.add('stuck');
    queue.add('other');
    await clock.advance(0);
    queue.add('stuck');
    await clock.advance(64_999);
    expect(runs['other']).to.equal(undefined);
    await clock.advance(1);
    expect(runs).to.deep.equal({ stuck: [0], other: [65_000] });
    expect(log.texts()).to.include('error a reconcile ignores its signal: its key waits until it ends');
    release(done);
    await clock.advance(0);
    expect(runs['stuck']).to.deep.equal([0, 65_000]);
  });

  it('works on 8 keys at once and never on one key twice', async () => {
    let active = 0;
    let most = 0;
    const { clock, queue } = started(async (_key, { signal }) => {
      active += 1;
      most = Math.max(most, active);
      await clock.sleep(10, signal);
      active -= 1;
      return done;
    });
    for (let n = 0; n < 30; n += 1) queue.add(`key-${n}`);
    await clock.advance(0);
    await clock.advance(1000);
    expect({ most, active, left: queue.length() }).to.deep.equal({ most: 8, active: 0, left: 0 });
  });

  it('lets 1 000 good keys through beside 50 that always throw', async () => {
    const { clock, queue, runs } = started(async (key) => {
      if (key.startsWith('bad')) throw new TypeError('malformed');
      return done;
    });
    for (let n = 0; n < 1000; n += 1) queue.add(n % 20 === 0 ? `bad-${n}` : `good-${n}`, { lane: 'low' });
    await clock.advance(0);
    await clock.advance(1000);
    expect(Object.keys(runs).filter((key) => key.startsWith('good'))).to.have.length(950);
  });

  it('reports the third failure in a row, and none before or after a success', async () => {
    const reported: (readonly [string, number, unknown])[] = [];
    const error = kubeError(500, 'InternalError');
    let healthy = false;
    const { clock, queue } = started(async () => (healthy ? done : Promise.reject(error)), {
      onRepeatedFailure: async (key, failure) => void reported.push([key, failure.failures, failure.error]),
    });
    queue.add('a');
    await clock.advance(0);
    await clock.advance(14);
    expect(reported).to.deep.equal([]);
    await clock.advance(1);
    expect(reported).to.deep.equal([['a', 3, error]]);
    healthy = true;
    await clock.advance(1000);
    healthy = false;
    queue.add('a');
    await clock.advance(0);
    expect(reported).to.have.length(1);
  });

  it('outlives a report that fails', async () => {
    const { clock, queue, runs, log } = started(failing(kubeError(500, 'InternalError')), {
      onRepeatedFailure: () => Promise.reject(new Error('no')),
    });
    queue.add('a');
    await clock.advance(0);
    await clock.advance(40);
    expect(runs['a']).to.deep.equal([0, 5, 15, 35]);
    expect(log.texts()).to.include('warn a repeated failure could not be reported');
  });

  it('writes one reconcile id of 8 hex digits on every line of a run', async () => {
    const { clock, queue, log } = started(
      async (_key, scope) => {
        scope.log.info('read');
        throw new KubeError('no', { status: 500, reason: '', causes: [] });
      },
      { random: () => 0.001 },
    );
    queue.add('a');
    await clock.advance(0);
    expect(
      log.lines.map(({ text, fields }) => [text, fields['controller'], fields['key'], fields['reconcile_id']]),
    ).to.deep.equal([
      ['info read', 'orb', 'a', '00418937'],
      ['warn a reconcile failed', 'orb', 'a', '00418937'],
    ]);
  });

  it('backs off from the third conflict in a row on, and reads the live object before each new run', async () => {
    const doubted: string[] = [];
    const writes = [{ settle: () => Promise.resolve(), doubt: (key: string): void => void doubted.push(key) }];
    const { clock, queue, runs } = started(failing(conflict), { writes });
    queue.add('a');
    await clock.advance(0);
    for (let second = 0; second < 30; second += 1) await clock.advance(1000);
    expect(runs['a']?.length).to.be.within(5, 16);
    expect(doubted).to.have.length(runs['a']?.length ?? 0);
  });

  it('waits for its own writes before it reconciles a key', async () => {
    const seen: string[] = [];
    const settle = async (key: string): Promise<void> => {
      seen.push(`settled ${key}`);
    };
    const { clock, queue } = started(
      async (key) => {
        seen.push(`reconciled ${key}`);
        return done;
      },
      { writes: [{ settle, doubt: () => undefined }] },
    );
    queue.add('a');
    await clock.advance(0);
    expect(seen).to.deep.equal(['settled a', 'reconciled a']);
  });
});
