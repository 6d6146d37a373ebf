import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import type { PlatformAnswer, PlatformClient, PlatformRequest } from '../../../../adapters/platform-api/client.ts';
import { newProbeMemory, type ProbeMemory } from '../../../../api-server/status/probes/probe.ts';
import { samplesOf } from '../../../../api-server/status/probes/exposition.ts';
import { makeRound, type RoundFound, type RoundMakerParts } from '../../../../api-server/status/round-maker.ts';
import { SERVICES } from '../../../../core/status/service.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';

const COUNT = 'orb_provider_request_duration_seconds_count{orb_namespace="orb-system",orb_id="orbs.canary@1.0.0"}';
const SECRET = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtMTIz';

const json = (status: number, value: unknown): PlatformAnswer => ({
  kind: 'answered',
  status,
  headers: {},
  body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
  ms: 5,
});
const problem = (status: number, code: string): PlatformAnswer => json(status, { code });
const GONE: PlatformAnswer = { kind: 'failed', code: 'unreachable', ms: 1 };

type Handler = (request: PlatformRequest) => PlatformAnswer;

/** A platform by the first words of its requests; what no handler names is a route that it does not have. */
const aPlatform = (handlers: Readonly<Record<string, Handler>>): PlatformClient => ({
  call: (request) => {
    const line = `${request.method} ${request.path}`;
    const [, handler] = Object.entries(handlers).find(([start]) => line.startsWith(start)) ?? [];
    return Promise.resolve(handler?.(request) ?? problem(404, 'route-not-found'));
  },
});

const echo: Handler = ({ body = '{}' }) => {
  const value: unknown = JSON.parse(body);
  const inputs = typeof value === 'object' && value !== null && 'inputs' in value ? value.inputs : {};
  return json(200, { outputs: inputs, receipt: { receipt_id: 'rcpt_1', signature_valid: true } });
};

interface Counted {
  readonly retried: string[];
  readonly failed: string[];
}

async function roundOf(
  handlers: Readonly<Record<string, Handler>>,
  some: Partial<RoundMakerParts> = {},
): Promise<{ readonly found: RoundFound; readonly counted: Counted; readonly states: string }> {
  const counted: Counted = { retried: [], failed: [] };
  const api = aPlatform(handlers);
  const parts: RoundMakerParts = {
    api,
    metrics: aPlatform({}),
    platformNamespace: 'orb-system',
    clock: systemClock,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    memory: newProbeMemory(),
    deadlineMs: 2000,
    observer: {
      took: () => undefined,
      retried: (_service, check) => void counted.retried.push(check),
      failed: (_service, check, code) => void counted.failed.push(`${check} ${code}`),
    },
    ...some,
  };
  const found = await makeRound(parts, new AbortController().signal);
  return { found, counted, states: SERVICES.map((service) => found[service].state).join(' ') };
}

const EXECUTE = 'POST /orbisets/orb-system.orb-canary/execute';
const gone: Handler = () => GONE;
const sourceSecret = (): Promise<string> => Promise.resolve(SECRET);
const PROFILE = 'GET /reputation/orbs.canary@1.0.0';
const unpublished: Handler = () => problem(404, 'orb-not-published');

describe('makeRound', () => {
  it('finds what works, and leaves out what the process does not have', async () => {
    const memory: ProbeMemory = newProbeMemory();
    const metrics = aPlatform({ 'GET /metrics': () => json(200, `${COUNT} 4\n`) });
    const { states, found } = await roundOf({ [EXECUTE]: echo, [PROFILE]: unpublished }, { memory, metrics });
    // Neither keys nor proofs are there to be read, so the profile alone speaks for the ledger.
    expect(states).to.equal('operational operational operational unknown');
    expect(memory).to.deep.include({ lastReceipt: 'rcpt_1', countedRuns: 4 });
    expect(found.ingestion.checks.map(({ kind }) => kind)).to.deep.equal(['left-out', 'left-out']);
  });

  it('counts an outage of everything that the API does, and judges no metrics without a run', async () => {
    const { states, counted } = await roundOf({ GET: gone, POST: gone }, { sourceSecret });
    expect(states).to.equal('major_outage major_outage unknown major_outage');
    expect(counted.failed).to.have.members([
      'execute unreachable',
      'receipt needs-failed-check',
      'profile unreachable',
      'receive unreachable',
      'read needs-failed-check',
    ]);
  });

  it('leaves out a canary that is not there yet, and counts one that was there', async () => {
    const memory = newProbeMemory();
    const missing = {
      [EXECUTE]: () => problem(404, 'orbiset-not-found'),
      'GET /signal-sources/orb-system/orb-canary': () => problem(404, 'source-not-found'),
    };
    const before = await roundOf(missing, { memory, sourceSecret });
    expect([before.states, before.counted.failed]).to.deep.equal(['unknown unknown unknown unknown', []]);
    const there = {
      [EXECUTE]: echo,
      'GET /signal-sources/orb-system/orb-canary': () => json(200, { url_path: '/ingest/src_1' }),
      'POST /ingest/src_1': () => json(202, { delivery_id: 'dlv_1' }),
      'GET /signals?delivery_id=dlv_1': () => json(200, { items: [{}] }),
    };
    expect((await roundOf(there, { memory, sourceSecret })).states).to.match(/^operational .* operational$/);
    const after = await roundOf(missing, { memory, sourceSecret });
    expect(after.states).to.match(/^major_outage .* major_outage$/);
  });

  it('counts what the second try says, and the first as a repeat', async () => {
    let tries = 0;
    const handler: Handler = (request) => {
      tries += 1;
      return tries === 1 ? problem(503, 'overloaded') : echo(request);
    };
    const { found, counted } = await roundOf({ [EXECUTE]: handler });
    expect(found.runtime.state).to.equal('operational');
    expect(counted.retried).to.include('execute');
    expect(counted.failed.filter((text) => text.startsWith('execute'))).to.deep.equal([]);
  });

  const runs: readonly (readonly [why: string, handler: Handler, expected: string])[] = [
    ['an output that is not the input', () => json(200, { outputs: { text: 'x' } }), 'major_outage wrong-answer'],
    [
      'a receipt whose signature is wrong',
      (request) => {
        const answer = echo(request);
        if (answer.kind === 'failed') return answer;
        return json(200, answer.body.toString().replace('"signature_valid":true', '"signature_valid":false'));
      },
      'major_outage not-valid',
    ],
    ['a refusal of its rights', () => problem(403, 'forbidden'), 'major_outage refused'],
    [
      'tokens that nobody reviews',
      () => problem(503, 'authentication-unavailable'),
      'partial_outage authentication-unavailable',
    ],
    [
      'a policy that denies it with a valid receipt',
      () => json(403, { code: 'policy-denied', run: { receipt: { receipt_id: 'rcpt_1', signature_valid: true } } }),
      'operational policy-denied',
    ],
    ['a policy that denies it without a receipt', () => problem(403, 'policy-denied'), 'major_outage not-valid'],
    ['an error of the server', () => problem(500, 'internal-error'), 'major_outage server-error'],
  ];
  for (const [why, handler, expected] of runs) {
    it(`gives ${expected} for a run with ${why}`, async () => {
      const { found } = await roundOf({ [EXECUTE]: handler });
      const [check] = found.runtime.checks;
      const code = check?.kind === 'left-out' ? 'left-out' : check?.code;
      expect(`${found.runtime.state} ${code}`).to.equal(expected);
    });
  }

  it('knows nothing of any service when nothing beside the platform answers either', async () => {
    const down = await roundOf({ GET: gone, POST: gone }, { controls: () => Promise.resolve(false) });
    expect(down.states).to.equal('unknown unknown unknown unknown');
    const reached = await roundOf({ GET: gone, POST: gone }, { controls: () => Promise.resolve(true) });
    expect(reached.states).to.equal('major_outage major_outage unknown unknown');
  });

  it('finds that metrics count no runs any more', async () => {
    const memory: ProbeMemory = { ...newProbeMemory(), countedRuns: 4 };
    const metrics = aPlatform({ 'GET /metrics': () => json(200, `${COUNT} 4\n`) });
    const { found } = await roundOf({ [EXECUTE]: echo }, { memory, metrics });
    expect(found.observable_engine.state).to.equal('major_outage');
  });

  const loops: readonly (readonly [why: string, texts: readonly string[], expected: string])[] = [
    ['the leader ticked, the other has no tick', ['', 'orb_swap_tick_age_seconds 44\n'], 'operational'],
    ['nobody leads', ['', ''], 'major_outage'],
    ['the leader stands', ['orb_swap_tick_age_seconds 46\n'], 'major_outage'],
    ['its data is old', ['orb_swap_tick_age_seconds 1\norb_prometheus_data_age_seconds 46\n'], 'major_outage'],
    ['there was no data yet', ['orb_swap_tick_age_seconds 1\norb_prometheus_data_age_seconds +Inf\n'], 'operational'],
  ];
  for (const [why, texts, expected] of loops) {
    it(`gives ${expected} for the swap loop when ${why}`, async () => {
      const clients = texts.map((text) => aPlatform({ 'GET /metrics': () => json(200, text) }));
      const { found } = await roundOf({}, { loops: () => Promise.resolve(clients) });
      expect(found.observable_engine.state).to.equal(expected);
    });
  }

  it('signs an event, and waits until it became a signal', async () => {
    let reads = 0;
    const received: PlatformRequest[] = [];
    const { found } = await roundOf(
      {
        'GET /signal-sources/orb-system/orb-canary': () => json(200, { url_path: '/ingest/src_1' }),
        'POST /ingest/src_1': (request) => {
          received.push(request);
          return json(202, { delivery_id: 'dlv_1', duplicate: false });
        },
        'GET /signals?delivery_id=dlv_1': () => {
          reads += 1;
          return json(200, { items: reads < 3 ? [] : [{}] });
        },
      },
      { sourceSecret },
    );
    expect([found.ingestion.state, reads]).to.deep.equal(['operational', 3]);
    const { headers = {}, body = '' } = received[0] ?? { headers: {} };
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    expect(headers['webhook-signature']).to.equal(`v1,${createHmac('sha256', key).update(content).digest('base64')}`);
  });

  it('says that an event was not mapped when it never becomes a signal', async () => {
    const { found } = await roundOf(
      {
        'GET /signal-sources': () => json(200, { url_path: '/ingest/src_1' }),
        'POST /ingest/src_1': () => json(202, { delivery_id: 'dlv_1' }),
        'GET /signals': () => json(200, { items: [] }),
      },
      { sourceSecret, deadlineMs: 300 },
    );
    expect(found.ingestion.state).to.equal('partial_outage');
    expect(found.ingestion.checks.map((check) => (check.kind === 'failed' ? check.code : check.kind))).to.deep.equal([
      'good',
      'not-mapped',
    ]);
  });
});

describe('samplesOf', () => {
  it('reads the series of one metric with these labels, and no other line', () => {
    const text = Buffer.from(
      '# HELP a_total a_total 1\na_total{x="1",y="2"} 3\na_total{x="2"} 4\na_total_more 5\nb a_total 6\na_total 7',
    );
    expect(samplesOf(text, 'a_total')).to.deep.equal([3, 4, 7]);
    expect(samplesOf(text, 'a_total', ['x="1"'])).to.deep.equal([3]);
  });
});
