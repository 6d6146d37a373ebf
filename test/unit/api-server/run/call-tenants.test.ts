import { expect } from 'chai';
import type { DialResult, OutboundRequest } from '../../../../adapters/egress/port.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';
import { compileOrbiset } from '../../../../core/orb/compile-orbiset.ts';
import { ACME, answered, createTestRuntime, type TestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.shared@1.0.0';
const tenant = (name: string): Caller => ({ ...ACME, tenants: [name] });
const says = (status: number, headers: readonly (readonly [string, string])[] = []): DialResult =>
  answered({}, { status, headers });

const execution = (host: string): Readonly<Record<string, unknown>> => ({
  type: 'http',
  method: 'GET',
  url: `https://${host}/run`,
  headers: { Authorization: 'Bearer {{orbiset.secrets.TOKEN}}' },
  body_template: undefined,
});

/** Secrets of an Orbiset; the returned buffers are those that runs use. */
function vaultOf(values: Readonly<Record<string, string>>): Map<string, Buffer> {
  return new Map(Object.entries(values).map(([name, value]) => [name, Buffer.from(value)]));
}

function setOrbiset({ catalog }: TestRuntime, namespace: string, values: ReadonlyMap<string, Buffer>): void {
  const spec = { vault: { secrets: [{ name: 'all', allowedHosts: ['*.example.com'] }] }, orbs: [ORB] };
  const made = compileOrbiset({ namespace, name: 'set', spec, secret: () => values, extra: [] });
  catalog.setOrbiset(made.orbiset);
}

const run = (test: TestRuntime, name: string): ReturnType<TestRuntime['execute']> =>
  test.execute({ orbiset: `${name}.set`, orbId: ORB, caller: tenant(name) });
const hostsOf = ({ sent }: TestRuntime): readonly string[] => sent.map(({ url }) => new URL(url).hostname);

const evilAnswers = ({ url }: OutboundRequest): DialResult =>
  url.startsWith('https://evil.') ? says(503, [['retry-after', '300']]) : answered({ id: 'x' });

describe('callProviders for the tenants of a shared Orb (failover.md §2, §12.2)', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  before(async () => {
    fixture = await openSqliteFixture();
    ledger = fixture.ledger;
  });
  after(() => fixture.dispose());

  function create(answer: (request: OutboundRequest) => DialResult, hostOfA = 'a.example.com'): TestRuntime {
    const test = createTestRuntime({ ledger, clock: fixture.clock, answer });
    const manifest = {
      provider: 'a',
      providers: { b: { execution: execution('b.example.com') } },
      swap_config: { fallbacks: ['b'] },
    };
    test.addOrb(ORB, { url: '', execution: execution(hostOfA), manifest }, 'orb-system');
    return test;
  }

  it('learns nothing from what a host answers that is made of a secret of the calling tenant', async () => {
    const test = create(evilAnswers, '{{orbiset.secrets.SHOP}}.example.com');
    setOrbiset(test, 'mallory', vaultOf({ TOKEN: 'one', SHOP: 'evil' }));
    setOrbiset(test, 'alice', vaultOf({ TOKEN: 'two', SHOP: 'good' }));
    for (let time = 0; time < 8; time += 1) await run(test, 'mallory');
    expect(hostsOf(test).slice(0, 3)).to.deep.equal(['evil.example.com', 'b.example.com', 'b.example.com']);
    expect(test.counted.filter((text) => text.includes(' a '))).to.deep.equal([]);
    expect(test.runtime.failover.cooling('orb-system', ORB)).to.deep.equal({});
    await run(test, 'alice');
    expect(hostsOf(test).at(-1)).to.equal('good.example.com');
  });

  it('knows a refused credential again, although its bytes were overwritten during the run', async () => {
    const used = vaultOf({ TOKEN: 'refused' });
    const test = create(({ url }) => {
      if (!url.startsWith('https://a.')) return answered({ id: 'b' });
      // Another key of the same Secret has changed: this version is overwritten, the next one holds the same.
      for (const value of used.values()) value.fill(0);
      setOrbiset(test, 'alice', vaultOf({ TOKEN: 'refused' }));
      return says(401);
    });
    setOrbiset(test, 'alice', used);
    expect((await run(test, 'alice')).code).to.equal('provider-refused-credential');
    expect((await run(test, 'alice')).status).to.equal(200);
    expect(hostsOf(test)).to.deep.equal(['a.example.com', 'b.example.com']);
  });

  it('tells a tenant nothing of the failures of others, when no provider can be called', async () => {
    const test = create(() => says(503));
    for (const name of ['mallory', 'alice']) setOrbiset(test, name, vaultOf({ TOKEN: name }));
    for (let time = 0; time < 10; time += 1) await run(test, 'mallory');
    const { code, body } = await run(test, 'alice');
    expect(code).to.equal('providers-unavailable');
    expect(body['detail']).to.match(
      /^a: breaker open for \d+ s more; b: breaker open for \d+ s more\. Nothing was sent\. Replica: test\.$/,
    );
  });

  it('tells how long a provider asked for a pause, also where it is called earlier', async () => {
    const test = createTestRuntime({
      ledger,
      clock: fixture.clock,
      answer: () => says(503, [['retry-after', '1000']]),
    });
    await test.execute({});
    expect((await test.execute({})).body['detail']).to.include('asked for a pause, 1000 s more');
    await fixture.clock.advance(300_000);
    await test.execute({});
    expect(test.sent).to.have.length(2);
  });

  it('tells a tenant how long a host of its own asked for a pause', async () => {
    const test = create(evilAnswers);
    test.addOrb(ORB, { url: '', execution: execution('{{orbiset.secrets.SHOP}}.example.com') }, 'orb-system');
    setOrbiset(test, 'mallory', vaultOf({ TOKEN: 'one', SHOP: 'evil' }));
    await run(test, 'mallory');
    await fixture.clock.advance(100_000);
    const { code, body } = await run(test, 'mallory');
    expect(code).to.equal('providers-unavailable');
    expect(body['detail']).to.equal('main: asked for a pause, 200 s more. Nothing was sent. Replica: test.');
    expect(hostsOf(test)).to.deep.equal(['evil.example.com']);
  });
});
