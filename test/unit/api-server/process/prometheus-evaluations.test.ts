import { expect } from 'chai';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { openPrometheusEvaluations } from '../../../../api-server/process/prometheus-evaluations.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { aServer, json } from '../../../support/cli-server.ts';

const parsed = parseOrbId('acme.mailer@1.0.0');
if (!parsed.ok) throw new TypeError('an Orb id');
const REQUEST = { namespace: 'acme', orbId: parsed.value, quantile: 0.95, active: { provider: 'main', since: 0 } };
const tools = { clock: systemClock, logger: { debug: () => undefined } };
const labels = { orb_namespace: 'acme', orb_id: REQUEST.orbId, job: 'operator', instance: 'a' };
const series = (name: string, value: string, more: object = {}): object => ({
  metric: { __name__: name, ...labels, ...more },
  value: [1_795_168_800, value],
});

describe('openPrometheusEvaluations', () => {
  it('reads the operator’s gauges of one Orb by one query', async () => {
    const result = [
      series('orb_swap_verdict', '1', { rule: 'failback', kind: 'healthy' }),
      series('orb_swap_streak', '4', { streak: 'recovered' }),
      series('orb_swap_evaluated_timestamp_seconds', '1795168800'),
      series('orb_provider_breaker_state', '2', { provider: 'main', instance: 'b' }),
    ];
    const server = await aServer(json(200, { status: 'success', data: { resultType: 'vector', result } }));
    const connection = { url: server.url, headers: {} };
    const opened = openPrometheusEvaluations(
      { connection, mode: 'query', scrapeIntervalMs: 15_000, matcher: '' },
      tools,
    );
    const evaluation = await opened.lastEvaluation(REQUEST);
    expect(evaluation).to.deep.include({ rule: 'failback', streaks: { degraded: 0, trial: 0, recovered: 4 } });
    expect(evaluation?.health['main']?.breaker).to.equal('open');
    await opened.lastEvaluation(REQUEST);
    expect(server.received.length).to.equal(1);
    expect(decodeURIComponent(server.received[0]?.body ?? '')).to.contain('orb_id="acme.mailer@1.0.0"');
    await opened.close();
    await server.close();
  });

  it('has none without a Prometheus', async () => {
    const opened = openPrometheusEvaluations(undefined, tools);
    expect(await opened.lastEvaluation(REQUEST)).to.equal(undefined);
    await opened.close();
  });
});
