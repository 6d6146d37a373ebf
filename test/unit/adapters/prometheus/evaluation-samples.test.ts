import { expect } from 'chai';
import { createPrometheusClient, type PrometheusClient } from '../../../../adapters/prometheus/client.ts';
import { queryEvaluation } from '../../../../adapters/prometheus/evaluation-samples.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';
import { element, startFakePrometheus, vector, type FakePrometheus } from '../../../support/prometheus.ts';

const NEVER = new AbortController().signal;

describe('queryEvaluation', () => {
  let prometheus: FakePrometheus;
  let client: PrometheusClient;

  beforeEach(async () => {
    prometheus = await startFakePrometheus();
    client = createPrometheusClient({ connection: { url: prometheus.url, headers: {} }, clock: systemClock });
  });
  afterEach(async () => {
    await client.close();
    await prometheus.stop();
  });

  it('gives back every series of the Orb with its name, those of each process apart', async () => {
    const labels = { orb_namespace: 'acme', orb_id: 'x@1.0.0', provider: 'a' };
    const breaker = { __name__: 'orb_provider_breaker_state', ...labels };
    prometheus.answer((response) => {
      const found = [
        element({ ...breaker, instance: '1' }, '0', 1),
        element({ ...breaker, instance: '2' }, '2', 1),
        element({ __name__: 'orb_swap_limit_seconds' }, 'NaN', 1),
      ];
      response.end(vector(found));
    });
    const samples = await queryEvaluation(client, { namespace: 'acme', orbId: 'x@1.0.0' }, 2000, NEVER);
    expect(samples?.map(({ name, value }) => [name, value])).to.deep.equal([
      ['orb_provider_breaker_state', 0],
      ['orb_provider_breaker_state', 2],
      ['orb_swap_limit_seconds', Number.NaN],
    ]);
    expect(samples?.[1]?.labels).to.deep.include({ ...labels, instance: '2' });
    expect(prometheus.seen[0]?.form.get('timeout')).to.equal('2s');
  });

  it('asks for one Orb only, whatever is in its id', async () => {
    await queryEvaluation(client, { namespace: 'acme', orbId: 'x"} or {a="\\\n' }, 2000, NEVER);
    expect(prometheus.seen[0]?.form.get('query')).to.equal(
      String.raw`{__name__=~"orb_swap_.+|orb_provider_(breaker|probe)_.+",orb_namespace="acme",orb_id="x\"} or {a=\"\\\n"}`,
    );
  });

  for (const [why, status, body] of [
    ['there are none', 200, vector([])],
    ['the server fails', 500, ''],
    ['some may be missing', 200, vector([element({}, '1', 1)], { warnings: ['x'] })],
  ] as const)
    it(`has none when ${why}`, async () => {
      prometheus.answer((response) => response.writeHead(status).end(body));
      expect(await queryEvaluation(client, { namespace: 'acme', orbId: 'x@1.0.0' }, 2000, NEVER)).to.equal(undefined);
    });
});
