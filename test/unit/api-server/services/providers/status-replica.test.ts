import { expect } from 'chai';
import type { EvaluationSummary } from '../../../../../core/failover/evaluation-summary.ts';
import type { JsonObject } from '../../../../../core/json/json-value.ts';
import { TEST_NOW } from '../../../../support/api-app.ts';
import { at as memberAt } from '../../../../support/members.ts';
import { MAILER, startProviderApp, type ProviderApp, type TestAppOptions } from '../../../../support/provider-app.ts';

const at = (ms: number): string => new Date(TEST_NOW + ms).toISOString();

const UNCALLED = (name: string): JsonObject => ({
  name,
  breaker: 'closed',
  since: null,
  until: null,
  paused_until: null,
  failures: 0,
  last_failure: null,
});

const evaluated = (health: EvaluationSummary['health']): EvaluationSummary => ({
  rule: 'healthy',
  verdict: { kind: 'healthy', valueMs: null, thresholdMs: null, window: null, n: 0 },
  streaks: { degraded: 0, trial: 0, recovered: 0 },
  limitMs: null,
  baseMs: null,
  dataAgeMs: 1000,
  evaluatedAt: TEST_NOW,
  providers: [],
  health,
});

describe('GET /providers/{orb_id}/status: breakers and last failures', () => {
  let app: ProviderApp | undefined;
  const getStatus = async (options: TestAppOptions): Promise<JsonObject> => {
    app = await startProviderApp(options);
    await app.setOrb({});
    const { status, json } = await app.call('GET', `/providers/${MAILER}/status`);
    expect(status).to.equal(200);
    return json;
  };
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('has the times of an open breaker and the last failure, of the replica that answers', async () => {
    const lastFailure = {
      at: TEST_NOW - 1000,
      outcome: 'error',
      httpStatus: null,
      cause: { reason: 'host-not-found', detail: 'host not found: api.example.com' },
      runId: 'run_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5b',
    } as const;
    const main = {
      breaker: 'open',
      since: TEST_NOW - 2000,
      until: TEST_NOW + 3000,
      pausedUntil: null,
      failures: 5,
      lastFailure,
    } as const;
    const replica = {
      breakers: () => ({ main: 'open' }) as const,
      cooling: () => ({ backup: TEST_NOW + 5000 }),
      providers: () => ({ main }),
    };
    const status = await getStatus({ parts: { replica } });
    expect(status['this_replica']).to.deep.equal({
      name: 'replica-1',
      breakers: { main: 'open', backup: 'closed' },
      cooling: { backup: at(5000) },
      providers: [
        {
          name: 'main',
          breaker: 'open',
          since: at(-2000),
          until: at(3000),
          paused_until: null,
          failures: 5,
          last_failure: {
            at: at(-1000),
            outcome: 'error',
            http_status: null,
            reason: 'host-not-found',
            detail: 'host not found: api.example.com',
            run_id: 'run_0193a1c2-8a02-7b11-8f53-0c1d2e3f4a5b',
          },
        },
        UNCALLED('backup'),
      ],
    });
    expect(memberAt(status, 'providers', '0')).to.deep.include({ breaker: 'open', breaker_replica: 'replica-1' });
  });

  it('names the replica whose breaker is the worst of all', async () => {
    const evaluation = evaluated({ main: { breaker: 'open', replica: 'orb-api-2', lastProbe: null } });
    const status = await getStatus({ parts: { lastEvaluation: () => Promise.resolve(evaluation) } });
    expect(memberAt(status, 'providers', '0')).to.deep.include({ breaker: 'open', breaker_replica: 'orb-api-2' });
    expect(memberAt(status, 'providers', '1')).to.deep.include({ breaker: null, breaker_replica: null });
  });
});
