import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ORB = 'acme.mail@1.2.0';
const changed = (status: string): Answering => json(200, { orb_id: ORB, status, log: { index: 17 } });

describe('orb deprecate, yank, restore, suspend and log retract', () => {
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

  const verbs: [argv: readonly string[], status: string][] = [
    [['deprecate'], 'deprecated'],
    [['yank'], 'yanked'],
    [['suspend'], 'suspended'],
    [['restore'], 'active'],
    [['restore', '--to', 'deprecated'], 'deprecated'],
  ];
  for (const [[verb = '', ...flags], status] of verbs) {
    it(`${verb} ${flags.join(' ')} sends ${status} with the reason`, async () => {
      const { exit, out } = await orb(changed(status), verb, ORB, ...flags, '--reason', 'because');
      expect([exit, out]).to.deep.equal([0, `${ORB} is ${status} (entry 17 of the log)\n`]);
      const [request] = server?.received ?? [];
      expect(request).to.deep.include({ method: 'POST', url: '/marketplace/orbs/acme.mail%401.2.0/status' });
      expect(JSON.parse(request?.body ?? '')).to.deep.equal({ status, reason: 'because' });
    });
  }

  it('prints the answer for machines', async () => {
    const { out } = await orb(changed('yanked'), 'yank', ORB, '--reason', 'x', '-o', 'json');
    expect(JSON.parse(out)).to.deep.equal({ orb_id: ORB, status: 'yanked', log: { index: 17 } });
  });

  it('sends nothing without a reason or an id', async () => {
    for (const argv of [
      ['yank', ORB],
      ['log', 'retract', '4'],
      ['org', 'suspend', 'acme'],
    ]) {
      const { exit, err } = await orb(changed('yanked'), ...argv);
      expect(exit, argv.join(' ')).to.equal(64);
      expect(err).to.include('--reason TEXT is missing');
      expect(server?.received).to.deep.equal([]);
      await server?.close();
    }
    expect((await orb(changed('yanked'), 'yank', 'acme.mail', '--reason', 'x')).exit).to.equal(2);
    expect(server?.received).to.deep.equal([]);
  });

  it('prints a refusal, exit 2; an API that is away, exit 4', async () => {
    const refusal = { code: 'status-transition', title: 'The state can’t change like this', status: 409 };
    const refused = await orb(json(409, refusal, 'application/problem+json'), 'restore', ORB, '--reason', 'x');
    expect(refused.exit).to.equal(2);
    expect(refused.err).to.include('409 status-transition');
    await server?.close();
    const away = { code: 'ledger-unavailable', title: 'Away', status: 503 };
    expect((await orb(json(503, away, 'application/problem+json'), 'yank', ORB, '--reason', 'x')).exit).to.equal(4);
  });

  it('retracts an entry of the log', async () => {
    const { exit, out } = await orb(json(201, { index: 12 }), 'log', 'retract', '4', '--reason', 'a dispute');
    expect([exit, out]).to.deep.equal([0, 'entry 4 counts no more (entry 12 of the log says so)\n']);
    const [request] = server?.received ?? [];
    expect(request).to.deep.include({ method: 'POST', url: '/log/retractions' });
    expect(JSON.parse(request?.body ?? '')).to.deep.equal({ index: 4, reason: 'a dispute' });
  });

  it('refuses what is no index before it asks', async () => {
    for (const index of ['four', '1.5', '01', '9007199254740993']) {
      expect((await orb(json(201, { index: 12 }), 'log', 'retract', index, '--reason', 'x')).exit).to.equal(64);
      expect(server?.received).to.deep.equal([]);
      await server?.close();
    }
  });
});
