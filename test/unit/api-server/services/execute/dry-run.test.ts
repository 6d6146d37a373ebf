import { expect } from 'chai';
import { createTestRuntime, SECRET, type TestRuntime } from '../../../../support/a-runtime.ts';
import { at } from '../../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

describe('POST /orbisets/{id}/execute?dry_run=true', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  const create = (): TestRuntime => {
    const test = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
    test.addOrb('acme.header@1.0.0', { execution: { headers: { 'X-Text': '{{inputs.text}}' } } });
    test.addOrbiset('bare', { vault: {} });
    test.addOrbiset('elsewhere', { vault: { secrets: [{ name: 'api', allowedHosts: ['other.example.com'] }] } });
    return test;
  };

  it('shows what would be sent with placeholders for secrets; nothing is sent, no run, no claim', async () => {
    const { execute, sent, counted } = create();
    const answer = await execute({ query: 'dry_run=true' });
    expect([answer.status, sent.length, counted.length]).to.deep.equal([200, 0, 0]);
    expect(answer.text).to.not.include(SECRET);
    expect(answer.body['providers']).to.deep.equal([
      {
        provider: 'main',
        eligible: true,
        request: {
          method: 'POST',
          url: 'https://api.example.com/run',
          headers: [
            { name: 'Content-Type', value: 'application/json' },
            { name: 'Authorization', value: 'Bearer {{orbiset.secrets.TOKEN}}' },
          ],
          body: '{"text":"hi"}',
        },
        secrets: [{ entry: 'TOKEN', present: true, host: 'api.example.com', host_allowed: true }],
        breaker: 'closed',
      },
    ]);
    expect(answer.body['replica']).to.equal('test');
    expect(answer.body['effective_provider']).to.equal('main');
  });

  it('shows an open breaker with its times, and why the last run failed', async () => {
    const failure = { kind: 'transport', code: 'dns' } as const;
    const down = { kind: 'failed', failure, sent: false, status: null, ms: 1, exception: false } as const;
    const { execute, sent } = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock, answer: () => down });
    const at0 = fixture.clock.now();
    let runId: unknown;
    for (let run = 0; run < 5; run += 1) runId = at((await execute({})).body, 'run', 'run_id');
    const { body } = await execute({ query: 'dry_run=true' });
    expect(at(body, 'providers', '0')).to.deep.include({
      breaker: 'open',
      breaker_since: new Date(at0).toISOString(),
      breaker_until: new Date(at0 + 2500).toISOString(),
      last_failure: {
        at: new Date(at0).toISOString(),
        outcome: 'error',
        http_status: null,
        reason: 'host-not-found',
        detail: 'host not found: api.example.com',
        run_id: runId,
      },
    });
    const refused = await execute({});
    expect([refused.code, refused.body['retry_after_s'], sent.length]).to.deep.equal(['providers-unavailable', 3, 5]);
    expect(refused.body['detail']).to.equal(
      'main: breaker open for 3 s more (last failure: host not found: api.example.com). Nothing was sent. Replica: test.',
    );
  });

  it('shows no failure of a shared Orb: it may be that of another tenant', async () => {
    const failure = { kind: 'transport', code: 'dns' } as const;
    const down = { kind: 'failed', failure, sent: false, status: null, ms: 1, exception: false } as const;
    const test = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock, answer: () => down });
    test.addOrb('orb.shared@1.0.0', {}, 'orb-system');
    test.addOrbiset('shared', { orbs: ['orb.shared'] });
    const call = { orbId: 'orb.shared@1.0.0', orbiset: 'shared' };
    for (let run = 0; run < 5; run += 1) await test.execute(call);
    const { body } = await test.execute({ ...call, query: 'dry_run=true' });
    expect([at(body, 'providers', '0', 'breaker'), at(body, 'providers', '0', 'last_failure')]).to.deep.equal([
      'open',
      undefined,
    ]);
    expect((await test.execute(call)).text).to.not.include('(last failure');
  });

  const dry: readonly [string, string, object][] = [
    ['a missing entry', 'bare', { eligible: false, reason: 'secret-missing' }],
    ['a host that is not allowed', 'elsewhere', { eligible: false, reason: 'secret-host-not-allowed' }],
  ];
  for (const [why, orbiset, expected] of dry) {
    it(`says why a provider is not eligible: ${why}`, async () => {
      const { execute } = create();
      const { body } = await execute({ orbiset, query: 'dry_run=true' });
      expect(at(body, 'providers', '0')).to.include(expected);
    });
  }

  it('shows no secret that the caller sent as an input', async () => {
    const { execute } = create();
    const answer = await execute({ query: 'dry_run=true', inputs: { text: `my ${SECRET}` } });
    expect(answer.status).to.equal(200);
    expect(answer.text).to.not.include(SECRET);
    expect(at(answer.body, 'providers', '0', 'request', 'body')).to.equal('{"text":"my [redacted:TOKEN]"}');
  });

  it('knows the host that a secret makes, without showing it', async () => {
    const { execute, addOrb, addOrbiset } = create();
    addOrb('acme.made@1.0.0', { url: 'https://{{orbiset.secrets.TOKEN}}.example.com/' });
    addOrbiset('below', { vault: { secrets: [{ name: 'api', allowedHosts: ['*.example.com'] }] } });
    const { body, text } = await execute({ orbiset: 'below', orbId: 'acme.made@1.0.0', query: 'dry_run=true' });
    expect(at(body, 'providers', '0', 'eligible')).to.equal(true);
    expect(at(body, 'providers', '0', 'secrets', '0', 'host_allowed')).to.equal(true);
    expect(text).to.not.include(SECRET);
  });

  it('shows every provider in order, and whether it may be called', async () => {
    const { execute, addOrb } = create();
    const other = { type: 'http', url: 'https://b.example.com/', headers: { X: '{{orbiset.secrets.NONE}}' } };
    const third = { type: 'http', url: 'https://c.example.com/' };
    const providers = { b: { execution: other }, c: { execution: third } };
    addOrb('acme.three@1.0.0', { manifest: { providers, swap_config: { primary: 'b', fallbacks: ['main', 'c'] } } });
    const { body } = await execute({ orbId: 'acme.three@1.0.0', query: 'dry_run=true' });
    const shown = [0, 1, 2].map((index) => [
      at(body, 'providers', String(index), 'provider'),
      at(body, 'providers', String(index), 'eligible'),
    ]);
    expect(shown).to.deep.equal([
      ['b', false],
      ['main', true],
      ['c', true],
    ]);
  });

  it('leaves out a provider that these inputs can not be sent to, as a run does', async () => {
    const { execute, addOrb, sent } = create();
    const b = { type: 'http', url: 'https://b.example.com/' };
    const manifest = { providers: { b: { execution: b } }, swap_config: { primary: 'main', fallbacks: ['b'] } };
    addOrb('acme.two@1.0.0', { execution: { headers: { 'X-Text': '{{inputs.text}}' } }, manifest });
    const call = { orbId: 'acme.two@1.0.0', inputs: { text: 'a\r\nb' } };
    const { body } = await execute({ ...call, query: 'dry_run=true' });
    expect([at(body, 'providers', '0', 'provider'), at(body, 'providers', '1')]).to.deep.equal(['b', undefined]);
    expect((await execute(call)).status).to.equal(200);
    expect(sent.map(({ url }) => url)).to.deep.equal(['https://b.example.com/']);
  });

  it('refuses wrong inputs as a run does', async () => {
    const { execute } = create();
    const header = { orbId: 'acme.header@1.0.0', inputs: { text: 'a\r\nb' }, query: 'dry_run=true' };
    expect((await execute(header)).code).to.equal('invalid-inputs');
    expect((await execute({ inputs: {}, query: 'dry_run=true' })).code).to.equal('invalid-inputs');
  });
});
