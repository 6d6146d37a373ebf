import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const PROBLEM = 'application/problem+json';
const ID = 'mnt_01a20ae7-71fa-7184-aea0-ff51543f8516';
const WINDOW = {
  id: ID,
  title: 'New disks\u001b[31m',
  services: ['runtime', 'ingestion'],
  from: '2026-12-01T02:00:00.000Z',
  to: '2026-12-01T03:00:00.000Z',
  announced_at: '2026-11-24T00:00:00.000Z',
};
const STATUS = {
  status: 'partial_outage',
  uptime_30d_pct: 99.861,
  incidents: [
    {
      title: 'Executing Orbs fails in part',
      status: 'investigating',
      impact: 'major',
      started_at: '2026-11-24T00:00:00.000Z',
    },
  ],
  services: { runtime: 'partial_outage', ingestion: 'unknown' },
  last_updated: '2026-11-24T00:01:00.000Z',
  uptime: { coverage_pct: 97.5, per_service: { runtime: 99.861, ingestion: null } },
  maintenance: [WINDOW],
};

describe('orb status without an Orb, orb maintenance', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run([...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('shows what works, uptime with its coverage, incidents and maintenance', async () => {
    const { out } = await orb(json(200, STATUS), 'status');
    expect(server?.received[0]?.url).to.equal('/status');
    expect(out).to.equal(`Platform  partly out
Uptime    99.861 % of the measured time of 30 days
Measured  97.5 % of 30 days, last at 2026-11-24T00:01:00.000Z

SERVICE    STATE       UPTIME
runtime    partly out  99.861 %
ingestion  not known   –

Incidents:
2026-11-24T00:00:00.000Z  major  investigating  Executing Orbs fails in part
Maintenance:
2026-12-01T02:00:00.000Z  2026-12-01T03:00:00.000Z  runtime, ingestion  New disks\\u001b[31m
`);
  });

  const exits: readonly (readonly [status: string, exit: number])[] = [
    ['operational', 0],
    ['under_maintenance', 0],
    ['degraded_performance', 0],
    ['unknown', 1],
    ['partial_outage', 1],
    ['major_outage', 1],
  ];
  for (const [status, exit] of exits) {
    it(`ends with ${exit} when the platform is ${status}`, async () => {
      expect((await orb(json(200, { ...STATUS, status }), 'status')).exit).to.equal(exit);
    });
  }

  it('gives machines the body, ends with 1 when nothing was measured, and with 4 without an answer', async () => {
    expect(JSON.parse((await orb(json(200, STATUS), 'status', '-o', 'json')).out)).to.deep.equal(STATUS);
    await server?.close();
    const unmeasured = json(503, { title: 'x', status: 503, code: 'status-not-measured' }, PROBLEM);
    expect((await orb(unmeasured, 'status')).exit).to.equal(1);
    const { url = '' } = server ?? {};
    await server?.close();
    server = undefined;
    expect((await cli.run(['status', '--server', url])).exit).to.equal(4);
  });

  const PLAN = ['maintenance', 'plan', '--services', 'runtime,ingestion', '--from', '2026-12-01T02:00Z', '--to'];

  it('announces maintenance with the times that the API takes', async () => {
    const to = [...PLAN, '2026-12-01T03:00:00Z', '--title', 'New disks'];
    const { exit, out } = await orb(json(201, WINDOW), ...to);
    expect([exit, out]).to.deep.equal([
      0,
      `${ID} is announced, from 2026-12-01T02:00:00.000Z to 2026-12-01T03:00:00.000Z\n`,
    ]);
    expect(JSON.parse(server?.received[0]?.body ?? '')).to.deep.equal({
      services: ['runtime', 'ingestion'],
      from: WINDOW.from,
      to: WINDOW.to,
      title: 'New disks',
    });
  });

  const wrong: readonly (readonly [why: string, argv: readonly string[], says: RegExp])[] = [
    ['a time without zone', [...PLAN, '2026-12-01T03:00:00', '--title', 'x'], /--to .*UTC time/],
    ['no title', [...PLAN, '2026-12-01T03:00:00Z'], /--title is missing/],
    [
      'an unknown service',
      ['maintenance', 'plan', '--services', 'policy', '--from', '2026-12-01T02:00Z', '--to', '2026-12-01T03:00Z'],
      /--services takes some of/,
    ],
  ];
  for (const [why, argv, says] of wrong) {
    it(`refuses ${why} before anything is sent`, async () => {
      const { exit, err } = await orb(json(500, {}), ...argv);
      expect(exit).to.equal(64);
      expect(err).to.match(says);
      expect(server?.received).to.deep.equal([]);
    });
  }

  it('lists windows and cancels one', async () => {
    const listed = await orb(json(200, { items: [{ ...WINDOW, cancelled_at: null }] }), 'maintenance', 'list');
    expect(listed.out).to.match(new RegExp(`^${ID}  2026-12-01T02:00:00.000Z .*runtime, ingestion`, 'm'));
    await server?.close();
    const ended = { ...WINDOW, cancelled_at: '2026-11-24T00:00:00.000Z' };
    const { out } = await orb(json(200, ended), 'maintenance', 'cancel', ID);
    expect(out).to.equal(`${ID} has ended at 2026-11-24T00:00:00.000Z\n`);
    expect([server?.received[0]?.method, server?.received[0]?.url]).to.deep.equal([
      'DELETE',
      `/status/maintenance/${ID}`,
    ]);
  });
});
