import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { OrgRechecks } from '../../../../api-server/reputation/org-rechecks.ts';
import type { OrgRow } from '../../../../adapters/ledger/tables/orgs.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';

const HOUR_MS = 3_600_000;

const anOrg = (org: string, checkedAt: number, change: Partial<OrgRow> = {}): OrgRow => ({
  org,
  namespace: 'team',
  proof: 'dns',
  state: 'verified',
  since: LEDGER_NOW,
  json: JSON.stringify({ proven: { domain: `${org}.com`, key: 'k', failures: 0, checkedAt } }),
  change: 1,
  ...change,
});

describe('OrgRechecks', () => {
  let clock: FakeClock;
  let rows: OrgRow[];
  let checked: string[];
  let logged: string[];
  let stop: AbortController;
  let running: Promise<void>;
  let recheck: (org: string) => Promise<undefined>;
  const log = (message: string): void => void logged.push(message);
  const start = (): void => {
    const rechecks = new OrgRechecks({
      orgs: { recheck: (org) => recheck(org) },
      listings: { allOrgs: () => rows },
      clock,
      logger: { warn: log, error: log },
    });
    running = rechecks.run(stop.signal);
  };
  beforeEach(() => {
    clock = createFakeClock(LEDGER_NOW);
    stop = new AbortController();
    [checked, logged, rows] = [[], [], []];
    // As the real one does, it notes the time of the check.
    recheck = async (org) => {
      checked.push(org);
      rows = rows.map((row) => (row.org === org ? anOrg(org, clock.now()) : row));
    };
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  it('checks each organisation once a day', async () => {
    rows = [anOrg('acme', LEDGER_NOW - HOUR_MS), anOrg('globex', LEDGER_NOW - 25 * HOUR_MS)];
    start();
    await clock.advance(1);
    expect(checked).to.deep.equal(['globex']);
    for (let hour = 0; hour < 48; hour += 1) await clock.advance(HOUR_MS);
    expect(checked.toSorted()).to.deep.equal(['acme', 'acme', 'globex', 'globex', 'globex']);
  });

  it('leaves what has no proof by DNS, or does not count', async () => {
    const old = LEDGER_NOW - 48 * HOUR_MS;
    rows = [
      anOrg('a', old, { proof: 'operator' }),
      anOrg('c', old, { state: 'suspended' }),
      anOrg('d', old, { json: '{}' }),
    ];
    start();
    await clock.advance(HOUR_MS);
    expect(checked).to.deep.equal([]);
  });

  it('checks an unverified one too: its record may be back', async () => {
    rows = [anOrg('acme', LEDGER_NOW - 25 * HOUR_MS, { state: 'unverified' })];
    start();
    await clock.advance(1);
    expect(checked).to.deep.equal(['acme']);
  });

  it('tries again within a minute while the ledger is away, and checks the others', async () => {
    const old = LEDGER_NOW - 25 * HOUR_MS;
    rows = [anOrg('acme', old), anOrg('globex', old)];
    const works = recheck;
    let isAway = true;
    recheck = async (org) => {
      if (isAway && org === 'acme') throw new LedgerError('ledger-unavailable', 'away');
      return works(org);
    };
    start();
    await clock.advance(1);
    expect(checked).to.deep.equal(['globex']);
    isAway = false;
    await clock.advance(60_000);
    expect(checked).to.deep.equal(['globex', 'acme']);
    expect(logged).to.deep.equal(['the proof of an organisation could not be checked']);
  });

  it('stops with the lease', async () => {
    const old = LEDGER_NOW - 25 * HOUR_MS;
    rows = [anOrg('acme', old), anOrg('globex', old)];
    const works = recheck;
    recheck = async (org) => {
      stop.abort();
      return works(org);
    };
    start();
    await running;
    expect(checked).to.deep.equal(['acme']);
  });
});
