import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering } from '../../../support/cli-server.ts';

const RUN = {
  run_id: 'run_2',
  status: 'failed',
  attempts: [],
  receipt: { receipt_id: 'rcpt_2', trust_score: 40, risk_level: 'high' },
};
const DRY = {
  dry_run: true,
  orb_id: 'a.b@1.0.0',
  orbiset: 'default.default',
  effective_provider: 'main',
  providers: [
    {
      provider: 'main',
      eligible: true,
      request: { method: 'POST', url: 'https://a.example/x', headers: [], body: null },
      secrets: [],
    },
  ],
};
const problem = (status: number, code: string, some: object): Answering =>
  json(status, { title: 'A title', status, code, next: 'Do this.', ...some }, 'application/problem+json');

describe('orb run: why a provider failed', () => {
  let cli: TestCli;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));

  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    const server = await aServer(answer);
    try {
      return await cli.run(['run', 'a.b@1.0.0', '--server', server.url, ...argv], { env: { ORB_API_KEY: 'k' } });
    } finally {
      await server.close();
    }
  };

  it('shows in a dry run which breaker is open, of which replica, and why its provider failed', async () => {
    const [provider] = DRY.providers;
    const open = {
      breaker: 'open',
      breaker_since: 'T1',
      breaker_until: 'T2',
      paused_until: 'T3',
      last_failure: { at: 'T0', reason: 'host-not-found', detail: 'host not found: a.example' },
    };
    const { out } = await orb(
      json(200, { ...DRY, replica: 'orb-api-0', providers: [{ ...provider, ...open }] }),
      '--dry-run',
    );
    expect(out).to.include('breakers are those of replica orb-api-0\n');
    expect(out).to.include('    breaker open since T1, next attempt T2\n');
    expect(out).to.include('    the provider asked for a pause until T3\n');
    expect(out).to.include('    last failure T0: host-not-found: host not found: a.example\n');
  });

  const failures: readonly (readonly [why: string, Answering, exit: number, texts: readonly string[]])[] = [
    [
      'a run whose attempts say why they failed',
      problem(502, 'provider-failed', {
        detail: 'Provider main: not JSON (text/html, 1.2 kB).',
        run: {
          ...RUN,
          attempts: [
            {
              provider: 'b',
              outcome: 'error',
              http_status: null,
              duration_ms: 3,
              reason: 'host-not-found',
              detail: 'host not found: b\u001b.example',
            },
            {
              provider: 'main',
              outcome: 'error',
              http_status: 200,
              duration_ms: 9,
              reason: 'not-json',
              detail: 'not JSON (text/html, 1.2 kB)',
            },
          ],
        },
      }),
      1,
      [
        'Provider main: not JSON (text/html, 1.2 kB).\n',
        String.raw`attempt b: error, 3 ms; host-not-found: host not found: b\u001b.example`,
        'attempt main: error, HTTP 200, 9 ms; not-json: not JSON (text/html, 1.2 kB)\n',
      ],
    ],
    [
      'a provider that takes no more requests, with the seconds to wait',
      problem(502, 'provider-rate-limited', { run: RUN, retry_after_s: 90 }),
      1,
      ['wait 90 s\n'],
    ],
  ];
  for (const [why, answer, code, texts] of failures) {
    it(`prints ${why}`, async () => {
      const { exit, out, err } = await orb(answer);
      expect([exit, out]).to.deep.equal([code, '']);
      for (const text of texts) expect(err).to.include(text);
    });
  }
});
