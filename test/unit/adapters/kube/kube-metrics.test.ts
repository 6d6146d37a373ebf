import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createKubeMetrics, type RuntimeMetrics } from '../../../../adapters/kube/kube-metrics.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';

interface Setup {
  readonly clock: FakeClock;
  readonly metrics: RuntimeMetrics;
  /** Lines of one metric, without buckets, as a scrape has them. */
  readonly lines: (name: string) => Promise<readonly string[]>;
}

function setup(): Setup {
  const clock = createFakeClock(0);
  const registry = new Registry();
  const metrics = createKubeMetrics(registry, { clock, kinds: ['Orb'] });
  const lines = async (name: string): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => new RegExp(`^${name}(_count|_sum)?[{ ]`, 'u').test(line));
  return { clock, metrics, lines };
}

const load = {
  depths: { urgent: 5, high: 4, normal: 3, low: 2, poison: 1 },
  oldestPendingSeconds: 7,
  unfinishedSeconds: 9,
  longestRunningSeconds: 5,
};

describe('createKubeMetrics', () => {
  const zeros: readonly (readonly [string, readonly string[]])[] = [
    [
      'controller_runtime_reconcile_total',
      ['success', 'error', 'requeue', 'requeue_after'].map(
        (result) => `controller_runtime_reconcile_total{controller="orb",result="${result}"} 0`,
      ),
    ],
    ...['errors_total', 'panics_total', 'timeouts_total'].map(
      (name) =>
        [`controller_runtime_reconcile_${name}`, [`controller_runtime_reconcile_${name}{controller="orb"} 0`]] as const,
    ),
    [
      'controller_runtime_terminal_reconcile_errors_total',
      ['controller_runtime_terminal_reconcile_errors_total{controller="orb"} 0'],
    ],
    [
      'controller_runtime_reconcile_time_seconds',
      [
        'controller_runtime_reconcile_time_seconds_sum{controller="orb"} 0',
        'controller_runtime_reconcile_time_seconds_count{controller="orb"} 0',
      ],
    ],
    ['controller_runtime_active_workers', ['controller_runtime_active_workers{controller="orb"} 0']],
    ['workqueue_adds_total', ['workqueue_adds_total{name="orb",controller="orb"} 0']],
    ['workqueue_retries_total', ['workqueue_retries_total{name="orb",controller="orb"} 0']],
    [
      'workqueue_work_duration_seconds',
      [
        'workqueue_work_duration_seconds_sum{name="orb",controller="orb"} 0',
        'workqueue_work_duration_seconds_count{name="orb",controller="orb"} 0',
      ],
    ],
    [
      'orb_watch_restarts_total',
      ['ended', 'early-end', 'expired', 'stalled', 'malformed', 'error'].map(
        (reason) => `orb_watch_restarts_total{kind="Orb",reason="${reason}"} 0`,
      ),
    ],
    ['orb_watch_stalls_total', ['orb_watch_stalls_total{kind="Orb"} 0']],
    ['orb_kube_history_rewinds_total', ['orb_kube_history_rewinds_total{kind="Orb"} 0']],
    ['orb_cache_synced', ['orb_cache_synced{kind="Orb"} 0']],
    [
      'orb_events_dropped_total',
      ['orb_events_dropped_total{type="Normal"} 0', 'orb_events_dropped_total{type="Warning"} 0'],
    ],
  ];
  for (const [name, expected] of zeros) {
    it(`has ${name} at 0 before anything happened`, async () => {
      const { metrics, lines } = setup();
      metrics.controller({ name: 'orb', kind: 'Orb' });
      metrics.queue('orb', () => load);
      expect(await lines(name)).to.deep.equal(expected);
    });
  }

  it('counts reconciles by result, and none that was ended from outside', async () => {
    const { metrics, lines } = setup();
    const series = metrics.controller({ name: 'orb', kind: 'Orb' });
    series.running(8);
    for (const result of ['success', 'error', 'requeue', undefined] as const) {
      series.began();
      series.ended(result, 0.5);
    }
    series.began();
    for (const count of [series.panic, series.timeout, series.terminal]) count();
    expect(await lines('controller_runtime_reconcile_total')).to.deep.equal([
      'controller_runtime_reconcile_total{controller="orb",result="success"} 1',
      'controller_runtime_reconcile_total{controller="orb",result="error"} 1',
      'controller_runtime_reconcile_total{controller="orb",result="requeue"} 1',
      'controller_runtime_reconcile_total{controller="orb",result="requeue_after"} 0',
    ]);
    expect(await lines('controller_runtime_reconcile_time_seconds')).to.include(
      'controller_runtime_reconcile_time_seconds_count{controller="orb"} 3',
    );
    expect(await lines('controller_runtime_reconcile_errors_total')).to.deep.equal([
      'controller_runtime_reconcile_errors_total{controller="orb"} 1',
    ]);
    expect(await lines('controller_runtime_max_concurrent_reconciles')).to.deep.equal([
      'controller_runtime_max_concurrent_reconciles{controller="orb"} 8',
    ]);
    expect(await lines('controller_runtime_active_workers')).to.deep.equal([
      'controller_runtime_active_workers{controller="orb"} 1',
    ]);
    for (const name of ['reconcile_panics', 'reconcile_timeouts', 'terminal_reconcile_errors']) {
      expect(await lines(`controller_runtime_${name}_total`)).to.deep.equal([
        `controller_runtime_${name}_total{controller="orb"} 1`,
      ]);
    }
  });

  it('shows the stall of one controller though another one of the kind succeeds', async () => {
    const { clock, metrics, lines } = setup();
    const name = 'orb_reconcile_last_success_age_seconds';
    const one = metrics.controller({ name: 'orb', kind: 'Orb' });
    const other = metrics.controller({ name: 'orb-failover', kind: 'Orb' });
    expect(await lines(name)).to.deep.equal([]);
    one.running(8);
    other.running(8);
    await clock.advance(10_000);
    one.began();
    one.ended('success', 1);
    other.began();
    other.ended('error', 1);
    await clock.advance(20_000);
    expect(await lines(name)).to.deep.equal([`${name}{kind="Orb"} 30`]);
    other.ended('requeue_after', 1);
    expect(await lines(name)).to.deep.equal([`${name}{kind="Orb"} 20`]);
    one.stopped();
    other.stopped();
    expect(await lines(name)).to.deep.equal([]);
  });

  it('asks the queue for its load at a scrape', async () => {
    const { metrics, lines } = setup();
    const controller = metrics.controller({ name: 'orb', kind: 'Orb' });
    controller.running(8);
    const series = metrics.queue('orb', () => load);
    series.added();
    series.retried();
    series.started(2);
    series.ended(3);
    const labels = 'name="orb",controller="orb"';
    expect(await lines('workqueue_depth')).to.deep.equal([
      `workqueue_depth{${labels},priority="200"} 5`,
      `workqueue_depth{${labels},priority="100"} 4`,
      `workqueue_depth{${labels},priority="0"} 3`,
      `workqueue_depth{${labels},priority="-100"} 2`,
      `workqueue_depth{${labels},priority="poison"} 1`,
    ]);
    const values: readonly (readonly [string, number])[] = [
      ['workqueue_adds_total', 1],
      ['workqueue_retries_total', 1],
      ['workqueue_unfinished_work_seconds', 9],
      ['workqueue_longest_running_processor_seconds', 5],
    ];
    for (const [name, value] of values) expect(await lines(name)).to.deep.equal([`${name}{${labels}} ${value}`]);
    expect(await lines('workqueue_queue_duration_seconds')).to.include(
      `workqueue_queue_duration_seconds_sum{${labels}} 2`,
    );
    expect(await lines('workqueue_work_duration_seconds')).to.include(
      `workqueue_work_duration_seconds_sum{${labels}} 3`,
    );
    expect(await lines('orb_reconcile_oldest_pending_seconds')).to.deep.equal([
      'orb_reconcile_oldest_pending_seconds{kind="Orb"} 7',
    ]);
    controller.stopped();
    expect(await lines('orb_reconcile_oldest_pending_seconds')).to.deep.equal([]);
  });

  const counted: readonly (readonly [string, (metrics: RuntimeMetrics) => void, string])[] = [
    [
      'rest_client_requests_total',
      (m) => m.request('PATCH', '409', 'apply', 0.2),
      'rest_client_requests_total{code="409",method="PATCH"} 1',
    ],
    [
      'rest_client_request_duration_seconds',
      (m) => m.request('GET', '<error>', 'list', 0.25),
      'rest_client_request_duration_seconds_sum{verb="list"} 0.25',
    ],
    ['orb_list_total', (m) => m.listed('Orb', 'expired'), 'orb_list_total{kind="Orb",reason="expired"} 1'],
    [
      'orb_watch_restarts_total',
      (m) => m.watchRestarted('Orb', 'ended'),
      'orb_watch_restarts_total{kind="Orb",reason="ended"} 1',
    ],
    ['orb_watch_stalls_total', (m) => m.watchStalled('Orb'), 'orb_watch_stalls_total{kind="Orb"} 1'],
    ['orb_kube_history_rewinds_total', (m) => m.historyRewound('Orb'), 'orb_kube_history_rewinds_total{kind="Orb"} 1'],
    ['orb_cache_objects', (m) => m.cache('Orb', 12, true), 'orb_cache_objects{kind="Orb"} 12'],
    ['orb_cache_synced', (m) => m.cache('Orb', 12, true), 'orb_cache_synced{kind="Orb"} 1'],
    ['orb_events_dropped_total', (m) => m.eventDropped('Warning'), 'orb_events_dropped_total{type="Warning"} 1'],
    [
      'leader_election_master_status',
      (m) => m.leading('orb-operator', true),
      'leader_election_master_status{name="orb-operator"} 1',
    ],
  ];
  for (const [name, count, line] of counted) {
    it(`shows ${name}`, async () => {
      const { metrics, lines } = setup();
      count(metrics);
      expect(await lines(name)).to.include(line);
    });
  }
});
