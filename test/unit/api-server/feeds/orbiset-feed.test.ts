import { expect } from 'chai';
import { LastOrbisets } from '../../../../adapters/catalog/last-orbisets.ts';
import { MemoryCatalog } from '../../../../adapters/catalog/memory-catalog.ts';
import { OrbisetFeed } from '../../../../api-server/feeds/orbiset-feed.ts';
import { SecretValues } from '../../../../api-server/vault/secret-values.ts';
import type { BoundSecret } from '../../../../api-server/vault/secret-watch.ts';
import type { CompiledOrbiset } from '../../../../core/orb/orbiset.ts';
import type { OrbisetPolicies } from '../../../../core/manifest/policies.ts';
import type { Redactor } from '../../../../core/redaction/redactor.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { anOrbiset } from '../../../support/kube-objects.ts';
import { recordLog } from '../../../support/kube/runtime-recorders.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const KEY = 'acme/support';
const spec = (change: object = {}): object => ({
  vault: { secrets: [{ name: 'mail', allowedHosts: ['api.example.com'] }] },
  ...change,
});
const generation = (number: number, value: unknown = spec(), uid = 'uid-support'): KubeObject =>
  anOrbiset('support', { spec: value, metadata: { generation: number, uid } });
const found = (text: string, version: string): BoundSecret => ({
  kind: 'found',
  version,
  values: new SecretValues({ TOKEN: Buffer.from(text).toString('base64') }),
});

interface Started {
  readonly feed: OrbisetFeed;
  readonly orbiset: () => CompiledOrbiset | undefined;
  readonly token: () => string;
  readonly bound: ReadonlyMap<string, readonly string[]>;
  readonly redactors: ReadonlySet<Redactor>;
  readonly suspended: string[];
  readonly reports: string[];
  secret: BoundSecret;
}

describe('OrbisetFeed', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());
  afterEach(async () => {
    for (const { key } of await fixture.ledger.states('valid-orbiset'))
      await fixture.ledger.deleteState('valid-orbiset', key);
  });

  async function start(): Promise<Started> {
    const catalog = new MemoryCatalog();
    const last = new LastOrbisets(fixture.ledger);
    await last.open();
    const bound = new Map<string, readonly string[]>();
    const redactors = new Set<Redactor>();
    const [suspended, reports]: [string[], string[]] = [[], []];
    const feed = new OrbisetFeed({
      catalog,
      last,
      watches: {
        bind: (orbiset, _namespace, names) => void bound.set(orbiset, names),
        read: () => started.secret,
      },
      logger: recordLog().logger,
      addRedactor: (redactor) => void redactors.add(redactor),
      removeRedactor: (redactor) => void redactors.delete(redactor),
      suspend: (orbiset) => void suspended.push(orbiset),
      onReport: (key) => void reports.push(key),
    });
    const orbiset = (): CompiledOrbiset | undefined => catalog.orbiset('acme', 'support');
    const token = (): string => Buffer.from(orbiset()?.vault.get('TOKEN')?.value ?? []).toString();
    const started: Started = {
      feed,
      orbiset,
      token,
      bound,
      redactors,
      suspended,
      reports,
      secret: found('value-one', 'u 1'),
    };
    return started;
  }

  for (const [what, allowedHosts] of [
    ['empty', []],
    ['null', null],
  ] as const)
    it(`sends no secret of a binding whose allowedHosts is ${what}, though this generation is not valid`, async () => {
      const started = await start();
      await started.feed.apply(KEY, generation(1));
      await started.feed.apply(KEY, generation(2, { vault: { secrets: [{ name: 'mail', allowedHosts }] } }));
      expect([started.token(), started.orbiset()?.vault.size, started.bound.get(KEY)]).to.deep.equal(['', 0, []]);
      await started.feed.apply(KEY, generation(3));
      expect(started.token()).to.equal('value-one');
    });

  it('keeps the secrets of an Orbiset whose new generation is not valid elsewhere', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    await started.feed.apply(KEY, generation(2, spec({ limits: { rate_per_second: 'many' } })));
    expect([started.token(), started.orbiset()?.vault.get('TOKEN')?.allowedHosts]).to.deep.equal([
      'value-one',
      ['api.example.com'],
    ]);
  });

  it('binds the Secrets, compiles the vault, and hides its values from the log', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    expect([started.token(), started.bound.get(KEY), started.reports]).to.deep.equal(['value-one', ['mail'], [KEY]]);
    expect([...started.redactors].map(({ text }) => text('a value-one b').value)).to.deep.equal([
      'a [redacted:TOKEN] b',
    ]);
  });

  it('compiles again for another generation or another version of a Secret, and for nothing else', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    const first = started.orbiset();
    await started.feed.apply(KEY, { ...generation(1), status: { conditions: [] } });
    expect(started.orbiset() === first).to.equal(true);
    started.secret = found('value-two', 'u 2');
    await started.feed.apply(KEY, generation(1));
    expect([started.token(), started.redactors.size]).to.deep.equal(['value-two', 1]);
    await started.feed.apply(KEY, generation(2, spec({ limits: { in_flight: 3 } })));
    expect(started.orbiset()?.limits.inFlight).to.equal(3);
  });

  it('lets the old value be overwritten only when the new one is in use', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    const old = started.secret;
    if (old.kind === 'found') old.values.retire();
    expect(started.token()).to.equal('value-one');
    const before = started.orbiset()?.vault.get('TOKEN')?.value;
    started.secret = found('value-two', 'u 2');
    await started.feed.apply(KEY, generation(1));
    expect([[...(before ?? [])].every((byte) => byte === 0), started.token()]).to.deep.equal([true, 'value-two']);
  });

  it('reports nothing until every bound Secret was asked for', async () => {
    const started = await start();
    started.secret = { kind: 'unread' };
    await started.feed.apply(KEY, generation(1));
    expect([started.feed.report(KEY), started.reports, started.orbiset()?.vault.size]).to.deep.equal([
      undefined,
      [],
      0,
    ]);
    started.secret = { kind: 'forbidden' };
    await started.feed.apply(KEY, generation(1));
    expect(started.feed.report(KEY)?.report.missing).to.deep.equal([{ secret: 'mail', reason: 'Forbidden' }]);
    started.secret = { kind: 'not-found' };
    await started.feed.apply(KEY, generation(1));
    expect(started.feed.report(KEY)?.report.missing).to.deep.equal([{ secret: 'mail', reason: 'SecretNotFound' }]);
  });

  it('reports where each entry may go and what the Orbiset lists', async () => {
    const started = await start();
    expect([...started.feed.allReports()]).to.deep.equal([]);
    await started.feed.apply(KEY, generation(1, spec({ orbs: ['acme.mail'] })));
    const [[key, report] = []] = started.feed.allReports();
    expect([key, [...(report?.hosts ?? [])], report?.orbs]).to.deep.equal([
      KEY,
      [['TOKEN', ['api.example.com']]],
      ['acme.mail'],
    ]);
  });

  it('ends runs when it is suspended, once', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    await started.feed.apply(KEY, generation(2, spec({ suspended: true })));
    await started.feed.apply(KEY, generation(3, spec({ suspended: true, orbs: ['a.b'] })));
    expect([started.suspended, started.orbiset()?.suspended]).to.deep.equal([['acme.support'], true]);
    await started.feed.apply(KEY, generation(4));
    expect(started.orbiset()?.suspended).to.equal(false);
  });

  it('goes on as it last was after a broken edit, also after a restart, and not for another object', async () => {
    const first = await start();
    await first.feed.apply(KEY, generation(1, spec({ limits: { in_flight: 3 } })));
    const broken = { vault: 7, suspended: false };
    await first.feed.apply(KEY, generation(2, broken));
    expect(first.orbiset()?.limits.inFlight).to.equal(3);
    const second = await start();
    await second.feed.apply(KEY, generation(2, broken));
    expect([second.orbiset()?.limits.inFlight, second.token()]).to.deep.equal([3, 'value-one']);
    await second.feed.apply(KEY, generation(1, broken, 'another'));
    expect(second.orbiset()).to.equal(undefined);
  });

  it('follows the policies of the newest generation, also when nothing else of it can be used', async () => {
    const strict: OrbisetPolicies = { defaultEffect: 'deny', requireReady: true };
    const free: OrbisetPolicies = { defaultEffect: 'allow', requireReady: false };
    const steps: readonly (readonly [unknown, OrbisetPolicies | 'unreadable'])[] = [
      [spec(), free],
      [{ vault: 7, policies: strict }, strict],
      [{ vault: 7 }, free],
      [{ vault: 7, policies: 'strict' }, 'unreadable'],
      [spec({ policies: {} }), free],
      [spec({ policies: { a: 1 } }), 'unreadable'],
      [spec({ policies: { defaultEffect: 'deny' } }), { ...free, defaultEffect: 'deny' }],
      [spec({ policies: { requireReady: 'yes' } }), 'unreadable'],
    ];
    let started = await start();
    for (const [index, [value, wanted]] of steps.entries()) {
      await started.feed.apply(KEY, generation(index + 1, value));
      const { hasUnreadablePolicies, policies } = started.orbiset() ?? {};
      expect(hasUnreadablePolicies, JSON.stringify(value)).to.equal(wanted === 'unreadable');
      expect(policies, JSON.stringify(value)).to.deep.equal(wanted === 'unreadable' ? strict : wanted);
    }
    started = await start();
    await started.feed.apply(KEY, generation(9, { vault: 7, policies: { a: 1 } }));
    expect([started.token(), started.orbiset()?.hasUnreadablePolicies]).to.deep.equal(['value-one', true]);
  });

  it('knows an Orbiset whose only fault was always its policies, and takes its labels over', async () => {
    const started = await start();
    const asking = generation(1, spec({ policies: { a: 1 }, limits: { in_flight: 3 } }));
    await started.feed.apply(KEY, asking);
    const { hasUnreadablePolicies, limits } = started.orbiset() ?? {};
    expect([hasUnreadablePolicies, limits]).to.deep.equal([true, { inFlight: 3 }]);
    await started.feed.apply(KEY, { ...asking, metadata: { ...asking.metadata, labels: { tier: 'prod' } } });
    expect(started.orbiset()?.labels).to.deep.equal({ tier: 'prod' });
  });

  it('suspends when nobody can tell whether it is meant to', async () => {
    for (const value of [{ vault: 7, suspended: 'yes' }, { suspended: 1 }, null, 'suspended: true', [true]]) {
      const started = await start();
      await started.feed.apply(KEY, generation(1));
      await started.feed.apply(KEY, generation(2, value));
      expect([started.orbiset()?.suspended, started.suspended]).to.deep.equal([true, ['acme.support']]);
    }
  });

  it('leaves nothing of a deleted Orbiset', async () => {
    const started = await start();
    await started.feed.apply(KEY, generation(1));
    const value = started.orbiset()?.vault.get('TOKEN')?.value;
    if (started.secret.kind === 'found') started.secret.values.retire();
    await started.feed.apply(KEY, undefined);
    expect([started.orbiset(), started.redactors.size, started.bound.get(KEY)]).to.deep.equal([undefined, 0, []]);
    expect([...(value ?? [])].every((byte) => byte === 0)).to.equal(true);
    expect([await fixture.ledger.states('valid-orbiset'), started.feed.report(KEY)]).to.deep.equal([[], undefined]);
  });
});
