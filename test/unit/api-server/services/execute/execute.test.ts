import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../../adapters/ledger/port.ts';
import { ACME, createTestRuntime, hangs, SECRET, type Call, type TestRuntime } from '../../../../support/a-runtime.ts';
import { at, payloadOf, textAt } from '../../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const away = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

describe('executeRoute', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  const create = (options: Partial<Parameters<typeof createTestRuntime>[0]> = {}): TestRuntime => {
    const test = createTestRuntime({ ledger, clock: fixture.clock, ...options });
    test.addOrb('acme.open@1.0.0', { manifest: { access: 'anonymous' } }, 'default');
    test.addOrb('acme.closed@1.0.0', {}, 'default');
    test.addOrb('globex.shared@1.0.0', {}, 'orb-system');
    test.addOrb('acme.header@1.0.0', { execution: { headers: { 'X-Text': '{{inputs.text}}' } } });
    test.addOrb('acme.broken@1.0.0');
    const broken = [...test.catalog.all()].find(({ name }) => name === 'acme.broken@1.0.0');
    if (broken !== undefined) test.catalog.setOrb({ ...broken, compiled: undefined, createdAt: 0 });
    test.addOrbiset('default', {}, 'default');
    test.addOrbiset('suspended', { suspended: true }, 'default');
    test.addOrbiset('small', { limits: { request_bytes: 10 } }, 'default');
    test.addOrbiset('listing', { orbs: ['globex.shared'] });
    test.addOrbiset('stopped', { suspended: true });
    test.addOrbiset('governed', { policies: { rules: [] } });
    test.addOrbiset('ungoverned', { policies: {} });
    test.addOrbiset('bare', { vault: {} });
    test.addOrbiset('elsewhere', { vault: { secrets: [{ name: 'api', allowedHosts: ['other.example.com'] }] } });
    return test;
  };

  const open: Call = { orbiset: 'default', orbId: 'acme.open@1.0.0', caller: null };

  it('executes an Orb with anonymous access without a key, and says so in the receipt', async () => {
    const { execute, sent } = create();
    const answer = await execute(open);
    expect([answer.status, at(answer.body, 'outputs', 'id'), sent.length]).to.deep.equal([200, 'x1', 1]);
    const stored = await ledger.receipt('default', textAt(answer.body, 'receipt', 'receipt_id'));
    const record = payloadOf(stored?.jws);
    expect(record).to.have.nested.property('checks[1].result', 'not_applicable');
  });

  for (const [why, body] of [
    ['null', '{"orb_id":"acme.still@1.0.0","inputs":null}'],
    ['absent', '{"orb_id":"acme.still@1.0.0"}'],
  ] as const) {
    it(`takes inputs that are ${why} as none`, async () => {
      const { execute, addOrb, sent } = create();
      addOrb('acme.still@1.0.0', { manifest: { inputs: {} }, execution: { body_template: '{}' } });
      expect([(await execute({ body })).status, sent.length]).to.deep.equal([200, 1]);
    });
  }

  it('sees an Orbiset that is suspended, or gone, while the ledger is asked about the Idempotency-Key', async () => {
    const meanwhile = new Map<string, () => void>();
    const slow: Ledger['idempotent'] = async (...asked) => {
      const entry = await ledger.idempotent(...asked);
      meanwhile.get(asked[1].key)?.();
      return entry;
    };
    const { execute, sent, addOrbiset, catalog } = create({ ledger: { ...ledger, idempotent: slow } });
    meanwhile.set('while-suspended', () => addOrbiset('support', { suspended: true }));
    const suspended = await execute({ key: 'while-suspended' });
    meanwhile.set('while-removed', () => catalog.removeOrbiset('acme', 'support'));
    const gone = await execute({ key: 'while-removed' });
    expect([suspended.code, gone.code, sent]).to.deep.equal(['orbiset-suspended', 'orbiset-not-found', []]);
  });

  it('refuses an Orb that is switched off, and every Orb while egress is stopped', async () => {
    const { execute, sent, runtime } = create();
    runtime.switches.suspendOrbs('acme/echo', { namespace: 'acme', covers: (orbId) => orbId === 'acme.echo@1.0.0' });
    const suspended = await execute({});
    const other = await execute({ orbId: 'acme.header@1.0.0' });
    runtime.switches.stopEgress();
    const stopped = await execute({ orbId: 'acme.header@1.0.0' });
    expect([suspended.status, suspended.code, other.status, stopped.status, stopped.code]).to.deep.equal([
      503,
      'orb-suspended',
      200,
      503,
      'egress-stopped',
    ]);
    expect(sent).to.have.length(1);
  });

  it('tells a caller without a key what is wrong with the inputs of an open Orb', async () => {
    const { execute } = create();
    const answer = await execute({ ...open, inputs: { txet: 'a' } });
    expect([answer.status, answer.code]).to.deep.equal([422, 'invalid-inputs']);
  });

  it('repeats an anonymous answer under its Idempotency-Key', async () => {
    const { execute, sent } = create();
    await execute({ ...open, key: 'k-anonymous' });
    expect((await execute({ ...open, key: 'k-anonymous' })).headers['idempotency-replayed']).to.equal('true');
    expect(sent).to.have.lengthOf(1);
  });

  const hiddenRows: readonly [string, Call][] = [
    ['an Orb that needs a key', { ...open, orbId: 'acme.closed@1.0.0' }],
    ['the same with wrong inputs', { ...open, orbId: 'acme.closed@1.0.0', inputs: {} }],
    ['an Orb that does not exist', { ...open, orbId: 'acme.nobody@1.0.0' }],
    ['a shared Orb that is not listed', { ...open, orbId: 'globex.shared@1.0.0' }],
    ['an Orbiset that does not exist', { ...open, orbiset: 'nobody' }],
    ['an Orbiset of another tenant', { ...open, orbiset: 'acme.support' }],
    ['a suspended Orbiset, for a closed Orb', { ...open, orbiset: 'suspended', orbId: 'acme.closed@1.0.0' }],
    ['a body over the limit of an Orbiset', { ...open, orbiset: 'small' }],
    ['malformed JSON', { ...open, body: '{' }],
    ['a body that is no object', { ...open, body: '[]' }],
    ['a malformed Idempotency-Key', { ...open, key: 'a b' }],
    ['a dry run, which shows names of the vault', { ...open, query: 'dry_run=true' }],
  ];
  it('answers everything else without a key alike: 401, nothing sent', async () => {
    const { execute, sent } = create();
    const texts = new Set<string>();
    for (const [why, call] of hiddenRows) {
      const { status, code, text } = await execute(call);
      expect([why, status, code]).to.deep.equal([why, 401, 'unauthenticated']);
      texts.add(text.replace(/"request_id":"[^"]*"/, ''));
    }
    expect([texts.size, sent.length]).to.deep.equal([1, 0]);
  });

  it('keeps keys of calls without an API key apart from those of the tenant', async () => {
    const { execute } = create();
    const owner = { ...ACME, tenants: ['default'] };
    await execute({ ...open, key: 'k-shared' });
    const owned = await execute({ ...open, key: 'k-shared', caller: owner, inputs: { text: 'another' } });
    expect([owned.status, owned.headers['idempotency-replayed']]).to.deep.equal([200, undefined]);
  });

  for (const query of ['dry_run=1', 'dry_run=TRUE', 'dryrun=true', 'dry_run=true&dry_run=false', 'debug=yes']) {
    it(`refuses ?${query} instead of running: 400, nothing sent`, async () => {
      const { execute, sent } = create();
      const answer = await execute({ query });
      expect([answer.status, answer.code, sent.length]).to.deep.equal([400, 'invalid-parameter', 0]);
    });
  }

  it('shows no provider’s words to a caller without a key', async () => {
    const { execute } = create();
    expect((await execute({ ...open, query: 'debug=true' })).body['provider_body']).to.equal(undefined);
  });

  it('needs a key for an open Orb outside of standalone', async () => {
    const { execute, sent } = create({ settings: { standalone: false } });
    expect([(await execute(open)).code, sent.length]).to.deep.equal(['unauthenticated', 0]);
  });

  const rows: readonly [string, Call, number, string][] = [
    ['a shared Orb that is not listed', { orbId: 'globex.shared@1.0.0' }, 403, 'orb-not-allowed'],
    ['a suspended Orbiset', { orbiset: 'stopped' }, 503, 'orbiset-suspended'],
    ['an Orbiset with unreadable policies', { orbiset: 'governed' }, 503, 'policy-unavailable'],
    [
      'a dry run of one with unreadable policies',
      { orbiset: 'governed', query: 'dry_run=true' },
      503,
      'policy-unavailable',
    ],
    ['an Orbiset of another tenant', { orbiset: 'default.default' }, 404, 'orbiset-not-found'],
    ['an unknown Orb', { orbId: 'acme.nobody@1.0.0' }, 404, 'orb-not-found'],
    ['a vault without the entry', { orbiset: 'bare' }, 409, 'secret-missing'],
    ['a vault whose entry is for another host', { orbiset: 'elsewhere' }, 409, 'secret-host-not-allowed'],
    ['a key that is limited to other Orbs', { caller: { ...ACME, orbs: ['acme.other'] } }, 403, 'forbidden'],
    ['a key that is limited to another version', { caller: { ...ACME, orbs: ['acme.echo@2.0.0'] } }, 403, 'forbidden'],
    [
      'an input that is no Unicode',
      { body: '{"orb_id":"acme.echo@1.0.0","inputs":{"text":"\\ud800"}}' },
      422,
      'invalid-inputs',
    ],
    ['no orb_id', { body: '{}' }, 422, 'invalid-inputs'],
    ['an orb_id without a version', { orbId: 'acme.echo' }, 422, 'invalid-inputs'],
    ['an unknown member', { body: '{"orb_id":"acme.echo@1.0.0","a/b~c":1}' }, 422, 'invalid-inputs'],
    ['a text in place of the inputs', { inputs: 'hi' }, 422, 'invalid-inputs'],
    [
      'an input that can not stand in a header',
      { orbId: 'acme.header@1.0.0', inputs: { text: 'a\r\nb' } },
      422,
      'invalid-inputs',
    ],
    ['an Orb that was never valid', { orbId: 'acme.broken@1.0.0' }, 409, 'orb-not-ready'],
    ['a member twice', { body: '{"orb_id":"acme.echo@1.0.0","orb_id":"acme.echo@1.0.0"}' }, 400, 'invalid-json'],
  ];
  for (const [why, call, status, code] of rows) {
    it(`refuses ${why}: ${status} ${code}, no run, no byte sent`, async () => {
      const { execute, sent, runtime } = create();
      const answer = await execute(call);
      expect([answer.status, answer.code, answer.body['run'], sent.length]).to.deep.equal([status, code, undefined, 0]);
      expect(runtime.inFlight.count(`acme.${call.orbiset ?? 'support'}`)).to.equal(0);
      expect(answer.text).to.not.include(SECRET);
    });
  }

  it('points at each member that is wrong', async () => {
    const { execute } = create();
    const { body } = await execute({ body: '{"a/b~c":1,"orb_id":7}' });
    expect([textAt(body, 'errors', '0', 'pointer'), textAt(body, 'errors', '1', 'pointer')]).to.deep.equal([
      '/orb_id',
      '/a~1b~0c',
    ]);
  });

  it('refuses one run more than the Orbiset allows at a time: 429 rate-limited', async () => {
    const { execute, sent, runtime, addOrbiset } = create({ answer: hangs });
    addOrbiset('single', { limits: { in_flight: 1 } });
    const started = async (): Promise<() => Promise<number>> => {
      const before = sent.length;
      const run = execute({ orbiset: 'single' });
      while (sent.length === before) await new Promise((resolve) => setImmediate(resolve));
      return async () => {
        runtime.inFlight.kill('acme.single', 'orbiset-suspended');
        return (await run).status;
      };
    };
    const end = await started();
    const second = await execute({ orbiset: 'single' });
    expect([second.status, second.code, second.headers['retry-after'], sent.length]).to.deep.equal([
      429,
      'rate-limited',
      '1',
      1,
    ]);
    expect(await end()).to.equal(503);
    expect(await (await started())()).to.equal(503);
  });

  it('ends an attempt at its own deadline, before that of the run', async () => {
    const { execute, addOrb } = create({ answer: hangs });
    addOrb('acme.attempt@1.0.0', { execution: { timeout_ms: 60_000, attempt_timeout_ms: 50 } });
    expect((await execute({ orbId: 'acme.attempt@1.0.0' })).code).to.equal('provider-timeout');
  });

  it('executes a shared Orb that the Orbiset lists, in the tenant of the Orbiset', async () => {
    const { execute } = create();
    const answer = await execute({ orbiset: 'listing', orbId: 'globex.shared@1.0.0' });
    const stored = await ledger.receipt('acme', textAt(answer.body, 'receipt', 'receipt_id'));
    const record = payloadOf(stored?.jws);
    expect(record).to.have.nested.property('caller.self', false);
  });

  it('says which line adds a missing entry', async () => {
    const { execute } = create();
    const answer = await execute({ orbiset: 'bare' });
    expect(answer.body['detail']).to.include('orb secrets set TOKEN --host api.example.com --orbiset bare');
    expect([answer.body['entry'], answer.body['host']]).to.deep.equal(['TOKEN', 'api.example.com']);
  });

  it('lets a key execute the Orbs that it is limited to', async () => {
    const { execute } = create();
    expect((await execute({ caller: { ...ACME, orbs: ['acme.echo'] } })).status).to.equal(200);
  });

  it('does not count a shared Orb’s provider for one tenant’s refused credential', async () => {
    const { execute, counted } = create({
      answer: () => ({ kind: 'answered', status: 401, headers: [], body: new Uint8Array(), ms: 1, exception: false }),
    });
    const shared = await execute({ orbiset: 'listing', orbId: 'globex.shared@1.0.0' });
    expect([shared.code, counted]).to.deep.equal(['provider-refused-credential', ['run caller_error']]);
    await execute({});
    expect(counted).to.include('attempt acme.echo@1.0.0 main client_error');
  });

  it('answers 503 when the ledger can not tell whether a key was used', async () => {
    const { execute, sent } = create({ ledger: { ...ledger, idempotent: away } });
    const answer = await execute({ key: 'k' });
    expect([answer.status, answer.code, sent.length]).to.deep.equal([503, 'ledger-unavailable', 0]);
  });

  it('leaves a fault of ours to the server: it is no answer of this route', async () => {
    const { execute } = create({ ledger: { ...ledger, startRun: () => Promise.reject(new TypeError('a bug')) } });
    const failed = await execute({}).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(TypeError);
  });
});
