import { expect } from 'chai';
import type { Dialer } from '../../../../adapters/egress/port.ts';
import type { PolicyObligation } from '../../../../crds/orbpolicy.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import type { PolicyInForce } from '../../../../core/policy/decision/policy-set.ts';
import { factsDigest } from '../../../../core/policy/facts/snapshot.ts';
import { answered, SECRET } from '../../../support/a-runtime.ts';
import { at, textAt } from '../../../support/members.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { freshOrbiset, jsonIn, noting, PolicyRuns, type Dialled } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const executionAt = (host: string): JsonObject => ({
  type: 'http',
  method: 'POST',
  url: `https://${host}/run`,
  headers: {},
  body_template: '{}',
});

const exposing = (host: string): JsonObject => ({ ...executionAt(host), expose_error_body: true });

const deniesHost = (host: string): PolicyInForce =>
  aPolicy({ match: { phases: ['Request'] }, rules: [aRule('deny', `request.host == "${host}"`)] });

const bound = (...obligations: readonly PolicyObligation[]): PolicyInForce =>
  aPolicy({ rules: [{ ...aRule('require', 'true'), obligations: [...obligations] }] });

const LIMITED = { policy: 'acme/policy', rule: 'rule', severity: 'medium', code: 'obligation-failed' };

const unreachable = {
  kind: 'failed',
  failure: { kind: 'transport', code: 'connect' },
  sent: false,
  status: null,
  ms: 5,
  exception: false,
} as const;

describe('policies about providers', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  describe('about the request of each provider', () => {
    const twoProviders = {
      url: 'https://api.example.com/run',
      manifest: {
        providers: {
          main: { execution: executionAt('api.example.com') },
          other: { execution: executionAt('other.example.com') },
        },
        swap_config: { primary: 'main', fallbacks: ['other'] },
      },
    };
    it('leaves out a denied provider and calls the next one', async () => {
      const dialled: Dialled[] = [];
      const test = runs.create([deniesHost('api.example.com')], { dialer: noting(dialled) });
      test.addOrb('acme.two@1.0.0', twoProviders);
      const answer = await test.execute({ orbiset: test.orbiset, orbId: 'acme.two@1.0.0' });
      expect([answer.status, dialled.map(({ url }) => url)]).to.deep.equal([200, ['https://other.example.com/run']]);
      expect(at(await runs.recordOf(answer), 'policy', 'violations')).to.deep.equal([]);
      await runs.expectFacts(answer, ['PreFlight', 'Request', 'Request']);
    });

    it('knows a host whose first label is a secret by the rest of it', async () => {
      const rules = [aRule('deny', 'request.host == "*.example.com"')];
      const test = runs.create([aPolicy({ match: { phases: ['Request'] }, rules })]);
      test.addOrb('acme.own@1.0.0', { url: 'https://{{orbiset.secrets.TOKEN}}.example.com/run' });
      const vault = { secrets: [{ name: 'api', allowedHosts: ['*.example.com'] }] };
      const answer = await test.execute({ orbiset: freshOrbiset(test, { vault }), orbId: 'acme.own@1.0.0' });
      expect([answer.status, answer.code]).to.deep.equal([403, 'policy-denied']);
    });

    const failing: Dialer = { ...noting([]), dial: () => Promise.resolve(unreachable) };

    it('names the rule that left a provider out when the others fail', async () => {
      const test = runs.create([deniesHost('api.example.com')], { dialer: failing });
      test.addOrb('acme.two@1.0.0', twoProviders);
      const answer = await test.execute({ orbiset: test.orbiset, orbId: 'acme.two@1.0.0' });
      expect([answer.status, answer.code]).to.deep.equal([502, 'provider-failed']);
      expect(at(answer.body, 'rules')).to.deep.equal([{ policy: 'acme/policy', rule: 'rule', severity: 'medium' }]);
    });

    it('names the rule whose hosts left a provider out when the others fail', async () => {
      const other = aPolicy({ rules: [{ ...aRule('require', 'true'), obligations: [{ type: 'noStore' }] }] }, 'other');
      const hosts = bound({ type: 'restrictHosts', hosts: ['other.example.com'] });
      const test = runs.create([other, hosts], { dialer: failing });
      test.addOrb('acme.two@1.0.0', twoProviders);
      const answer = await test.execute({ orbiset: test.orbiset, orbId: 'acme.two@1.0.0' });
      expect([answer.status, at(answer.body, 'rules')]).to.deep.equal([502, [LIMITED]]);
    });

    it('names no rule when a run that policies allow fails', async () => {
      const { execute, orbiset } = runs.create([bound({ type: 'timeoutMs', value: 9000 })], { dialer: failing });
      const answer = await execute({ orbiset });
      expect([answer.status, at(answer.body, 'rules')]).to.deep.equal([502, undefined]);
    });

    it('denies the run when no provider is left', async () => {
      const { execute, orbiset, sent } = runs.create([deniesHost('api.example.com')]);
      const answer = await execute({ orbiset });
      expect([answer.status, answer.code, sent]).to.deep.equal([403, 'policy-denied', []]);
      expect((await runs.kept(answer)).json).to.include({ phase: 'Request', provider: 'main' });
    });

    it('sees placeholders in place of secrets', async () => {
      const { execute, orbiset, addOrb } = runs.create([aPolicy({ match: { phases: ['Request'] }, rules: [] })]);
      addOrb('acme.path@1.0.0', {
        url: 'https://api.example.com/v1/{{orbiset.secrets.TOKEN}}/send?why=a?b&key={{orbiset.secrets.TOKEN}}&to={{inputs.text}}',
      });
      const answer = await execute({ orbiset, orbId: 'acme.path@1.0.0', inputs: { text: SECRET } });
      const { facts } = await runs.kept(answer);
      const request = jsonIn(facts[1]?.facts);
      expect(at(request, 'request')).to.include({
        provider: 'main',
        method: 'POST',
        host: 'api.example.com',
        port: 443,
        path: '/v1/{{orbiset.secrets.TOKEN}}/send',
      });
      expect([at(request, 'request', 'query_names'), at(request, 'request', 'secret_refs')]).to.deep.equal([
        ['key', 'to', 'why'],
        ['TOKEN'],
      ]);
      expect(facts.map(({ facts: text }) => text).join('')).to.not.include(SECRET);
    });
  });

  describe('obligations', () => {
    it('restrictHosts denies a run whose only provider is elsewhere', async () => {
      const { execute, orbiset, sent } = runs.create([bound({ type: 'restrictHosts', hosts: ['*.eu.example'] })]);
      const answer = await execute({ orbiset });
      expect([answer.code, sent]).to.deep.equal(['policy-denied', []]);
      expect(at(answer.body, 'rules', '0')).to.include({ rule: 'obligation-failed' });
    });

    it('stores no facts of a request that no rule decides about, although the limit of its answer is lower', async () => {
      const { execute, orbiset, sent } = runs.create([bound({ type: 'maxResponseBytes', value: 1000 })]);
      const answer = await execute({ orbiset });
      expect([answer.status, sent.length]).to.deep.equal([200, 1]);
      await runs.expectFacts(answer, ['PreFlight']);
    });

    it('restrictHosts holds for redirects too, and maxResponseBytes lowers the limit of the answer', async () => {
      const dialled: Dialled[] = [];
      const policy = bound(
        { type: 'restrictHosts', hosts: ['api.example.com'] },
        { type: 'maxResponseBytes', value: 1000 },
      );
      const { execute, orbiset } = runs.create([policy], { dialer: noting(dialled) });
      expect((await execute({ orbiset })).status).to.equal(200);
      const [call] = dialled;
      expect(call?.limits.maxResponseBytes).to.equal(1000);
      expect([
        call?.guard(new URL('https://api.example.com/next')),
        call?.guard(new URL('https://evil.example.net/next')),
      ]).to.deep.equal([null, 'policy-host-not-allowed']);
    });

    for (const obligation of [
      { type: 'restrictHosts', hosts: ['api.example.com'] },
      { type: 'maxResponseBytes', value: 1000 },
    ] as const)
      it(`${obligation.type} is a decision about the request too, without a rule about it`, async () => {
        const { execute, orbiset, counted } = runs.create([bound(obligation)]);
        await execute({ orbiset });
        const decided = counted.filter((text) => text.startsWith('decided '));
        expect(decided).to.deep.equal(['decided PreFlight allow', 'decided Request allow']);
      });

    for (const [what, failure] of [
      ['a redirect that restrictHosts refuses', { kind: 'blocked', code: 'policy-host-not-allowed' }],
      ['an answer beyond maxResponseBytes', { kind: 'response', code: 'response-too-large' }],
    ] as const)
      it(`${what} says nothing about the Orb`, async () => {
        const policy = bound(
          { type: 'restrictHosts', hosts: ['api.example.com'] },
          { type: 'maxResponseBytes', value: 1000 },
        );
        const failed = { kind: 'failed', failure, sent: true, status: 200, ms: 5, exception: false } as const;
        const dialer: Dialer = { ...noting([]), dial: () => Promise.resolve(failed) };
        const { execute, orbiset, counted } = runs.create([policy], { dialer });
        for (let run = 0; run < 6; run += 1) {
          const answer = await execute({ orbiset });
          expect([answer.status, answer.code]).to.deep.equal([502, 'provider-failed']);
          expect(at(await runs.recordOf(answer), 'execution', 'outcome')).to.equal('caller_error');
          expect(at(answer.body, 'rules')).to.deep.equal([LIMITED]);
          expect(at(answer.body, 'decision_id')).to.match(/^dec_/);
        }
        expect(counted.filter((text) => /^(?:attempt|breaker) /.test(text))).to.deep.equal([]);
      });

    it('names the rule that set a limit, though the rule allows the run', async () => {
      const obligations = [{ type: 'maxResponseBytes', value: 1000 }] as const;
      const policy = aPolicy({ rules: [{ ...aRule('allow', 'true'), obligations: [...obligations] }] });
      const failure = { kind: 'response', code: 'response-too-large' } as const;
      const failed = { kind: 'failed', failure, sent: true, status: 200, ms: 5, exception: false } as const;
      const { execute, orbiset } = runs.create([policy], {
        dialer: { ...noting([]), dial: () => Promise.resolve(failed) },
      });
      const answer = await execute({ orbiset });
      expect([answer.status, at(answer.body, 'rules')]).to.deep.equal([502, [LIMITED]]);
    });

    it('redactResponse makes outputs null in the answer and in what the receipt commits to', async () => {
      const { execute, orbiset } = runs.create([bound({ type: 'redactResponse', outputs: ['id', 'absent'] })]);
      const answer = await execute({ orbiset });
      expect(at(answer.body, 'outputs')).to.deep.equal({ id: null });
      expect(at(await runs.recordOf(answer), 'output', 'size_bytes')).to.equal('{"id":null}'.length);
    });

    it('noStore keeps no facts, and their digest stays in the receipt', async () => {
      const { execute, orbiset } = runs.create([bound({ type: 'noStore' })]);
      const answer = await execute({ orbiset });
      expect((await runs.kept(answer)).facts).to.deep.equal([]);
      expect(at(await runs.recordOf(answer), 'policy', 'facts_digest')).to.not.equal(factsDigest([]));
    });

    it('noStore of a rule about the answer erases the facts of the start too', async () => {
      const rules = [{ ...aRule('require', 'response.status == 200'), obligations: [{ type: 'noStore' as const }] }];
      const { execute, orbiset } = runs.create([aPolicy({ match: { phases: ['Response'] }, rules })]);
      expect((await runs.kept(await execute({ orbiset }))).facts).to.deep.equal([]);
    });
  });

  describe('about the answer', () => {
    const noName = aPolicy({
      match: { phases: ['Response'] },
      rules: [aRule('deny', 'response.body_bytes > 5', { message: 'too much' })],
    });

    it('keeps the outputs back when it is denied', async () => {
      const { execute, orbiset, sent } = runs.create([noName]);
      const answer = await execute({ orbiset });
      expect([answer.status, answer.code, sent.length]).to.deep.equal([403, 'policy-denied', 1]);
      expect(answer.body).to.include({ maybe_executed: true, detail: 'too much' });
      expect(answer.text).to.not.include('"x1"');
      const record = await runs.recordOf(answer);
      expect([
        at(record, 'execution', 'outcome'),
        at(record, 'output'),
        at(record, 'policy', 'decision'),
      ]).to.deep.equal(['policy_denied', null, 'deny']);
      const { decision, json } = await runs.kept(answer);
      expect([decision.decision, at(json, 'phase')]).to.deep.equal(['deny', 'Response']);
      await runs.expectFacts(answer, ['PreFlight', 'Response']);
    });

    it('knows the size of a large answer, which another thread has read', async () => {
      const large = Buffer.from(JSON.stringify({ id: 'x'.repeat(100_000) }));
      const dialer: Dialer = { ...noting([]), dial: () => Promise.resolve(answered({}, { body: Buffer.from(large) })) };
      const rules = [aRule('deny', `response.body_bytes == ${large.length}`, { message: 'too much' })];
      const { execute, orbiset } = runs.create([aPolicy({ match: { phases: ['Response'] }, rules })], { dialer });
      const answer = await execute({ orbiset });
      expect([answer.status, answer.code]).to.deep.equal([403, 'policy-denied']);
    });

    it('knows the names of its headers and its type', async () => {
      const rules = [
        aRule('deny', '"x-trace" in response.header_names && response.content_type == "application/json"'),
      ];
      const headers = [
        ['content-type', 'application/json'],
        ['x-trace', '1'],
      ] as const;
      const dialer: Dialer = { ...noting([]), dial: () => Promise.resolve(answered({ id: 'x1' }, { headers })) };
      const { execute, orbiset } = runs.create([aPolicy({ match: { phases: ['Response'] }, rules })], { dialer });
      expect((await execute({ orbiset })).code).to.equal('policy-denied');
    });

    it('keeps the body back as well, when the manifest or the caller asks for it', async () => {
      const test = runs.create([noName]);
      const shows = { url: 'https://api.example.com/run', manifest: { execution: exposing('api.example.com') } };
      test.addOrb('acme.shows@1.0.0', shows);
      const asked = await test.execute({ orbiset: test.orbiset, query: 'debug=true' });
      const exposed = await test.execute({ orbiset: test.orbiset, orbId: 'acme.shows@1.0.0' });
      for (const { code, body, text } of [asked, exposed]) {
        expect(code).to.equal('policy-denied');
        expect(body).to.not.have.property('provider_body');
        expect(text).to.not.match(/"id\\?":\\?"x1/);
      }
    });

    it('shows no body that holds an output which became null', async () => {
      const policy = bound({ type: 'redactResponse', outputs: ['id'] });
      const { execute, orbiset } = runs.create([policy]);
      const answer = await execute({ orbiset, query: 'debug=true' });
      expect([answer.status, at(answer.body, 'outputs')]).to.deep.equal([200, { id: null }]);
      expect(answer.text).to.not.include('"x1"');
    });

    it('is repeated under the Idempotency-Key as it was decided', async () => {
      const { execute, orbiset, sent } = runs.create([noName]);
      const first = await execute({ orbiset, key: `k-response-${orbiset}` });
      const again = await execute({ orbiset, key: `k-response-${orbiset}` });
      expect([again.status, again.headers['idempotency-replayed'], sent.length]).to.deep.equal([403, 'true', 1]);
      expect(textAt(again.body, 'decision_id')).to.equal(textAt(first.body, 'decision_id'));
    });
  });
});
