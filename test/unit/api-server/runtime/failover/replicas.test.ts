import { expect } from 'chai';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import type { JsonValue } from '../../../../../core/json/json-value.ts';
import { failoverPinOf } from '../../../../../core/failover/pin.ts';
import type { FailoverStatus, Ramp } from '../../../../../core/failover/types.ts';
import type { Pin } from '../../../../../crds/orb.ts';
import { answered, createTestRuntime, type Executed, type TestRuntime } from '../../../../support/a-runtime.ts';
import { aStatus } from '../../../../support/failover.ts';
import { at, payloadOf, textAt } from '../../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const ORB = 'acme.mail@1.0.0';
const ORIGIN = 'https://api.example.com';
/** How much later the second replica hears of a change. */
const LATE_S = 5;
const RUNS_PER_SECOND = 4;

interface State {
  readonly failover: FailoverStatus;
  readonly pin?: Pin;
}

/** What one run said, and which providers were really called for it. */
interface Ran {
  readonly answer: Executed;
  readonly called: readonly string[];
}

/** One API process: its own cache, on the ledger of all. */
class Replica {
  readonly #runtime: TestRuntime;

  constructor(ledger: Ledger, clock: SqliteFixture['clock'], fails: (provider: string) => boolean) {
    this.#runtime = createTestRuntime({
      ledger,
      clock,
      answer: ({ url }) => {
        const provider = new URL(url).pathname.slice(1);
        return answered({ id: provider }, { status: fails(provider) ? 503 : 200 });
      },
    });
    const execution = { type: 'http', method: 'GET', url: `${ORIGIN}/other` };
    const swap = { primary: 'main', fallbacks: ['other'] };
    const manifest = { providers: { other: { execution } }, swap_config: swap };
    this.#runtime.addOrb(ORB, {
      url: `${ORIGIN}/main`,
      method: 'GET',
      manifest,
      execution: { body_template: undefined },
    });
  }

  /** The watch has reported this process. */
  hears({ failover, pin }: State): void {
    const { catalog } = this.#runtime;
    const orb = [...catalog.all()].find(({ orbId }) => orbId === ORB);
    if (orb?.compiled === undefined) throw new TypeError('no Orb');
    const pinned = pin === undefined ? undefined : failoverPinOf(pin);
    catalog.setOrb({ ...orb, createdAt: 0, compiled: { ...orb.compiled, failover, pin: pinned } });
  }

  async run(): Promise<Ran> {
    const before = this.#runtime.sent.length;
    const answer = await this.#runtime.execute({ orbId: ORB });
    return { answer, called: this.#runtime.sent.slice(before).map(({ url }) => new URL(url).pathname.slice(1)) };
  }
}

const active = (activeProvider: string, ramp: Ramp | null = null): State => ({
  failover: { ...aStatus(activeProvider), ramp },
});
const ramp: Ramp = { provider: 'other', percent: 50, stepStartedAt: 0, trial: false };

const lastOf = (ran: readonly Ran[]): readonly string[] => [...new Set(ran.map(({ called }) => called.at(-1) ?? ''))];

describe('API replicas with caches 5 s apart (reliability.md §5)', function replicas() {
  this.timeout(20_000);
  let fixture: SqliteFixture;
  let ledger: Ledger;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    ledger = await fixture.current();
  });
  afterEach(() => fixture.dispose());

  const end = (): string => new Date(fixture.clock.now() + 3_600_000).toISOString();
  const pin = (): Pin => ({
    provider: 'other',
    mode: 'hard',
    expires_at: end(),
    id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11',
  });

  /** Runs on both while the first one already knows the change and the second does not yet. */
  async function apart(
    before: State,
    after: State,
    fails: (provider: string) => boolean = () => false,
  ): Promise<Ran[]> {
    const [first, second] = [new Replica(ledger, fixture.clock, fails), new Replica(ledger, fixture.clock, fails)];
    first.hears(before);
    second.hears(before);
    const ran: Ran[] = [];
    for (let elapsed = -1; elapsed <= LATE_S + 1; elapsed += 1) {
      if (elapsed === 0) first.hears(after);
      if (elapsed === LATE_S) second.hears(after);
      for (let run = 0; run < RUNS_PER_SECOND; run += 1) ran.push(await first.run(), await second.run());
      await fixture.clock.advance(1000);
    }
    return ran;
  }

  async function attemptsOf({ answer }: Ran): Promise<readonly string[]> {
    const receipt = await ledger.receipt('acme', textAt(answer.body, 'receipt', 'receipt_id'));
    const attempts = at(payloadOf(receipt?.jws), 'execution', 'attempts');
    const list: readonly JsonValue[] = Array.isArray(attempts) ? attempts : [];
    return list.map((attempt) => textAt(attempt, 'provider'));
  }

  /** No run fails for it, and each receipt names who was really called. */
  async function check(ran: readonly Ran[]): Promise<void> {
    expect(ran.map(({ answer }) => answer.status)).to.deep.equal(ran.map(() => 200));
    for (const one of ran) expect(await attemptsOf(one)).to.deep.equal(one.called);
    expect(new Set(ran.map(({ answer }) => textAt(answer.body, 'receipt', 'receipt_id'))).size).to.equal(ran.length);
  }

  it('answer from both providers while one has not heard of a swap, each receipt naming the one that was called', async () => {
    const ran = await apart(active('main'), active('other'));
    await check(ran);
    expect(lastOf(ran)).to.have.members(['main', 'other']);
    expect(lastOf(ran.slice(-RUNS_PER_SECOND * 2))).to.deep.equal(['other']);
  });

  it('do so too when the provider that one still takes for the active one has failed for good', async () => {
    const ran = await apart(active('main'), active('other'), (provider) => provider === 'main');
    await check(ran);
    expect(lastOf(ran)).to.deep.equal(['other']);
  });

  it('do so while one has not heard of the step of a ramp', async () => {
    const ran = await apart(active('main'), active('main', ramp));
    await check(ran);
    expect(lastOf(ran)).to.have.members(['main', 'other']);
  });

  it('do so while one has not heard of a pin', async () => {
    const ran = await apart(active('main'), { ...active('main'), pin: pin() });
    await check(ran);
    expect(lastOf(ran.slice(-RUNS_PER_SECOND * 2))).to.deep.equal(['other']);
  });
});
