import { expect } from 'chai';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { PlatformStatus } from '../../api-server/status/platform-status.ts';
import { RoundLoop } from '../../api-server/status/round-loop.ts';
import { RoundTeller, type Told, type WaitingRound } from '../../api-server/status/round-teller.ts';
import { listAt, member } from '../../core/json/members.ts';
import { forEachService, SERVICES, type Service, type ServiceState } from '../../core/status/service.ts';
import { aStatus } from '../support/a-status.ts';
import { seeded } from '../support/seeded.ts';
import { openSqliteFixture, type SqliteFixture } from '../support/sqlite-ledger.ts';
import { jsonOf } from '../support/suites.ts';

// The pace of a cluster: ORB_STATUS_INTERVAL_S=30, 69 120 rounds.
const INTERVAL = Number(process.env['ORB_STATUS_INTERVAL_S'] ?? 300) * 1000;
const SEED = Number(process.env['ORB_SEED'] ?? 20_261_124);
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const DAYS = 24;
/** Checks of a round take this long. */
const CHECKS = 400;
/** A round holds for so many intervals when no other one follows. */
const HOLDS = 1.5;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What really happens, ms from the beginning. */
interface Plan {
  readonly outages: readonly (Span & { readonly service: Service; readonly state: ServiceState })[];
  /** The API does not answer. It starts anew at the end, over the same ledger. */
  readonly apiAway: readonly Span[];
  /** No prober runs. A new one begins at the end. */
  readonly proberAway: readonly Span[];
}

/** Times that do not touch: a fault begins in each quarter of a day, in turn. */
function aPlan(): Plan {
  const random = seeded(SEED);
  const between = (least: number, most: number): number => Math.floor(least + random() * (most - least));
  const spans = Array.from({ length: DAYS * 4 }, (_, quarter): Span => {
    const from = quarter * 6 * HOUR + between(HOUR, 2 * HOUR);
    return { from, to: from + between(10 * MINUTE, 3 * HOUR) };
  });
  const everyFourth = (turn: number): readonly Span[] => spans.filter((_, index) => index % 4 === turn);
  const states = ['major_outage', 'partial_outage', 'degraded_performance'] as const;
  return {
    outages: [...everyFourth(0), ...everyFourth(1)].map((span, index) => ({
      ...span,
      service: SERVICES[index % SERVICES.length] ?? 'runtime',
      state: states[index % states.length] ?? 'major_outage',
    })),
    apiAway: everyFourth(2),
    proberAway: everyFourth(3),
  };
}

const isIn = (spans: readonly Span[], at: number): boolean => spans.some(({ from, to }) => from <= at && at < to);
const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0);

/** A platform and its prober over one ledger. */
class World {
  readonly plan = aPlan();
  readonly #fixture: SqliteFixture;
  readonly #start: number;
  #status: PlatformStatus | undefined;
  #prober: { readonly stop: () => Promise<void> } | undefined;
  /** What the journal of the prober keeps. */
  #journal: readonly WaitingRound[] = [];
  #telling: Promise<void> = Promise.resolve();
  restarts = 0;

  constructor(fixture: SqliteFixture) {
    this.#fixture = fixture;
    this.#start = fixture.clock.now();
  }

  get now(): number {
    return this.#fixture.clock.now() - this.#start;
  }

  get status(): PlatformStatus {
    if (this.#status === undefined) throw new Error('the API is away');
    return this.#status;
  }

  #stateOf(service: Service): ServiceState {
    // Without the API nothing answers but the swap loop, which nobody can see then.
    if (isIn(this.plan.apiAway, this.now)) return service === 'observable_engine' ? 'unknown' : 'major_outage';
    const found = this.plan.outages.find((outage) => outage.service === service && isIn([outage], this.now));
    return found?.state ?? 'operational';
  }

  async #tell(rounds: readonly WaitingRound[]): Promise<Told> {
    if (this.#status === undefined) return { kind: 'away', why: 'ECONNREFUSED' };
    const taken = await this.#status.take(rounds);
    if (taken.kind === 'taken') return { kind: 'taken' };
    const kept = await this.#status.take([]);
    return { kind: 'refused', why: taken.problem, last: kept.kind === 'taken' ? kept.last : null };
  }

  #startProber(): void {
    const { clock } = this.#fixture;
    const logger = { info: () => undefined, warn: () => undefined };
    const teller = new RoundTeller(
      {
        tell: (rounds) => this.#tell(rounds),
        logger,
        atOnce: 120,
        mostWaiting: 100_000,
        changed: (waiting) => {
          this.#journal = waiting;
          return Promise.resolve();
        },
      },
      this.#journal,
    );
    const loop = new RoundLoop({
      make: async (signal) => {
        const states = forEachService((service) => this.#stateOf(service));
        await clock.sleep(CHECKS, signal);
        return forEachService((service) => ({ state: states[service], checks: [] }));
      },
      finished: (rounds) => {
        this.#telling = teller.add(rounds);
      },
      clock,
      logger,
      intervalMs: INTERVAL,
    });
    const stopping = new AbortController();
    const running = loop.run(stopping.signal);
    this.#prober = {
      stop: async () => {
        stopping.abort();
        await running;
      },
    };
  }

  /** Starts and stops what the plan says of this time. */
  async #follow(): Promise<void> {
    const [isApiAway, isProberAway] = [isIn(this.plan.apiAway, this.now), isIn(this.plan.proberAway, this.now)];
    if (isApiAway) this.#status = undefined;
    else if (this.#status === undefined) await this.startApi();
    if (isProberAway && this.#prober !== undefined) {
      await this.#prober.stop();
      this.#prober = undefined;
    }
    if (!isProberAway && this.#prober === undefined) this.#startProber();
  }

  /** As after an upgrade: the ledger is opened anew, and everything is read from it. */
  async startApi(): Promise<void> {
    const ledger: Ledger = await this.#fixture.reopen();
    this.#status = aStatus({ ledger, clock: this.#fixture.clock });
    await this.#status.open();
    this.restarts += 1;
  }

  async run(days: number): Promise<void> {
    const { outages, apiAway, proberAway } = this.plan;
    const times = [...outages, ...apiAway, ...proberAway]
      .flatMap(({ from, to }) => [from, to])
      .toSorted((a, b) => a - b);
    await this.#follow();
    while (this.now < days * DAY) {
      const next = Math.min(days * DAY, ...times.filter((time) => time > this.now));
      await this.#fixture.clock.advance(Math.min(INTERVAL, next - this.now));
      await this.#telling;
      await this.#follow();
    }
    await this.#prober?.stop();
  }
}

const numberAt = (value: unknown, ...names: readonly string[]): number => {
  const found = names.reduce((inner, name) => member(inner, name) ?? null, jsonOf(value));
  if (typeof found !== 'number') throw new TypeError(`${names.join('.')} is no number`);
  return found;
};

const WEIGHTS: Readonly<Partial<Record<ServiceState, number>>> = { major_outage: 1, partial_outage: 0.5 };

describe(`the status of a platform over ${DAYS} days (seed ${SEED}, a round every ${INTERVAL / 1000} s)`, function suite() {
  this.timeout(60_000 + (60_000 * 300_000) / INTERVAL);
  let fixture: SqliteFixture;
  let world: World;
  let start: number;

  before(async () => {
    fixture = await openSqliteFixture();
    start = fixture.clock.now();
    world = new World(fixture);
    await world.run(DAYS);
  });
  after(() => fixture.dispose());

  const page = (): unknown => JSON.parse(world.status.pages.current()?.body ?? 'null');
  /** What is kept of a service, ms from the beginning. */
  const keptOf = async (service: Service): Promise<readonly (Span & { readonly state: string })[]> => {
    const ledger = await fixture.current();
    const { items, nextCursor } = await ledger.statusIntervals({ since: 0, limit: 1000 });
    expect(nextCursor).to.equal(null);
    return items
      .filter((item) => item.service === service)
      .map(({ from, to, state }) => ({ from: from - start, to: to - start, state }));
  };

  it('has the uptime of each service as by hand, but for one round at each change', () => {
    const { outages, apiAway, proberAway } = world.plan;
    const shown = page();
    for (const service of SERVICES) {
      const isHidden = service === 'observable_engine';
      const own = outages.filter((outage) => outage.service === service);
      const gone = isHidden ? [...proberAway, ...apiAway] : proberAway;
      const down = own.reduce((sum, outage) => sum + lengthOf([outage]) * (WEIGHTS[outage.state] ?? 0), 0);
      const covered = DAYS * DAY - lengthOf(gone);
      const uptimePct = (100 * (covered - down - (isHidden ? 0 : lengthOf(apiAway)))) / covered;
      const changes = 2 * (own.length + apiAway.length + proberAway.length);
      const slackPct = (100 * changes * INTERVAL) / covered;
      expect(numberAt(shown, 'uptime', 'per_service', service), service).to.be.closeTo(uptimePct, slackPct);
    }
  });

  it('covers the time in which somebody looked, and no other', () => {
    const { proberAway } = world.plan;
    const coveragePct = (100 * (DAYS * DAY - lengthOf(proberAway))) / (30 * DAY);
    const slackPct = (100 * 2 * proberAway.length * HOLDS * INTERVAL) / (30 * DAY);
    expect(numberAt(page(), 'uptime', 'coverage_pct')).to.be.closeTo(coveragePct, slackPct);
  });

  it('has every absence of the API as an outage with its times, told when it was back', async () => {
    const outages = (await keptOf('runtime')).filter(({ state }) => state === 'major_outage');
    for (const { from, to } of world.plan.apiAway) {
      const within = outages.find((outage) => outage.from < to && outage.to > from);
      expect(within?.from).to.be.within(from, from + INTERVAL);
      expect(within?.to).to.be.within(to, to + INTERVAL);
    }
    expect(world.restarts).to.be.greaterThan(DAYS);
  });

  it('is never up, nor anything else, while nobody looks', async () => {
    for (const service of SERVICES) {
      const kept = await keptOf(service);
      for (const { from, to } of world.plan.proberAway) {
        const dark = { from: from + HOLDS * INTERVAL, to };
        const known = kept.filter((span) => span.from < dark.to && span.to > dark.from);
        expect(dark.to > dark.from ? known : [], service).to.deep.equal([]);
      }
    }
  });

  it('adds up: the days give the uptime of the same time, also after one more start', async () => {
    const before = page();
    await world.startApi();
    const after = page();
    // The last round no longer holds on: at most half of one is forgotten.
    expect(numberAt(after, 'uptime_30d_pct')).to.be.closeTo(numberAt(before, 'uptime_30d_pct'), 0.01);
    const days = listAt(jsonOf(world.status.pages.days(30)), 'days');
    const total = (name: string): number =>
      days.reduce<number>((sum, day) => sum + numberAt(day, 'services', 'runtime', name), 0);
    const [up, degraded, partial, major] = ['up_s', 'degraded_s', 'partial_s', 'major_s'].map(total);
    const covered = (up ?? 0) + (degraded ?? 0) + (partial ?? 0) + (major ?? 0);
    const uptimePct = (100 * (covered - (major ?? 0) - (partial ?? 0) / 2)) / covered;
    expect(numberAt(after, 'uptime', 'per_service', 'runtime')).to.be.closeTo(uptimePct, 0.01);
  });
});
