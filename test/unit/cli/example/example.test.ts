import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { HEALTHY, type Behaviour } from '../../../../standalone/example/lookup-provider.ts';
import { startControl, type Behaviours } from '../../../../standalone/example/control.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json } from '../../../support/cli-server.ts';

describe('orb example', () => {
  let cli: TestCli;
  let close: () => Promise<void>;
  let behaviours: Behaviours;
  const control = (): string => join(cli.folder, 'example', 'control.json');
  const orb = (...words: readonly string[]): Promise<CliResult> => cli.run(['example', ...words, '--data', cli.folder]);
  const alpha = (): Behaviour | undefined => behaviours.get('alpha');

  beforeEach(async () => {
    cli = aCli();
    mkdirSync(join(cli.folder, 'example'));
    behaviours = new Map([
      ['alpha', HEALTHY],
      ['beta', HEALTHY],
    ]);
    close = await startControl(control(), behaviours);
  });
  afterEach(async () => {
    await close();
    rmSync(cli.folder, { recursive: true });
  });

  it('makes a provider slow, then lets it fail, then heals it: each ends what was before', async () => {
    expect(await orb('slow', 'alpha', '2s')).to.include({ exit: 0, out: 'alpha takes 2000 ms longer from now on\n' });
    expect(alpha()).to.deep.equal({ slowMs: 2000, failStatus: undefined });
    expect(await orb('fail', 'alpha', '503')).to.include({ exit: 0, out: 'alpha answers with 503 from now on\n' });
    expect(alpha()).to.deep.equal({ slowMs: 0, failStatus: 503 });
    expect(await orb('heal', 'alpha')).to.include({ exit: 0, out: 'alpha works again\n' });
    expect(alpha()).to.deep.equal(HEALTHY);
    expect(behaviours.get('beta')).to.deep.equal(HEALTHY);
  });

  const refused: readonly (readonly [string, readonly string[], number, string])[] = [
    ['a provider that there is not', ['heal', 'gamma'], 2, 'The providers: alpha, beta.'],
    ['a name that is a path', ['heal', '../beta'], 2, 'The providers: alpha, beta.'],
    ['a time without a unit', ['slow', 'alpha', '800'], 64, '800: a time'],
    ['more than a run may take', ['slow', 'alpha', '121s'], 2, 'slow_ms: 0 to 120000'],
    ['a status that is no error', ['fail', 'alpha', '200'], 64, '200: a status'],
    ['a rate that is none', ['traffic', '--rate', '0'], 64, '--rate 0'],
    ['a span that is none', ['traffic', '--for', 'ever'], 64, '--for ever'],
  ];
  for (const [what, words, exit, said] of refused)
    it(`refuses ${what}, and changes nothing`, async () => {
      const ran = await orb(...words);
      expect(ran.exit).to.equal(exit);
      expect(ran.err).to.include(said);
      expect([...behaviours.values()]).to.deep.equal([HEALTHY, HEALTHY]);
    });

  it('takes no command without the token of this start', async () => {
    const value: unknown = JSON.parse(readFileSync(control(), 'utf8'));
    if (!isJsonObject(value)) throw new TypeError('no object');
    writeFileSync(control(), JSON.stringify({ ...value, token: 'of-yesterday' }));
    const ran = await orb('fail', 'alpha', '503');
    expect([ran.exit, ran.err]).to.deep.equal([2, 'orb: wrong token\n']);
    expect(alpha()).to.deep.equal(HEALTHY);
  });

  it('says that npm start does not run, also after it ended', async () => {
    await close();
    const ran = await orb('heal', 'alpha');
    expect(ran.exit).to.equal(2);
    expect(ran.err).to.include('npm start is not running here');
    close = async () => undefined;
  });

  it('shows what callers see, a line every 5 s, and ends when the time is over', async () => {
    const api = await aServer(json(200, { outputs: { provider: 'alpha' } }));
    const { exit, out } = await cli.run(['example', 'traffic', '--for', '12s', '--server', api.url]);
    await api.close();
    expect(exit).to.equal(0);
    expect(out.split('\n').length).to.equal(5); // head, two rows, the rest, and the end
    expect(api.received.length).to.equal(24);
    expect(out.match(/alpha (\d+)/g)?.reduce((sum, found) => sum + Number(found.slice(6)), 0)).to.equal(24);
  });

  it('counts a run that fails, and ends when there is no such Orb', async () => {
    const failing = await aServer(json(502, { code: 'provider-failed', title: 'no' }, 'application/problem+json'));
    const counted = await cli.run(['example', 'traffic', '--for', '3s', '--server', failing.url]);
    await failing.close();
    expect(counted.out).to.match(/ +6 +6 .* –\n$/);
    const other = await aServer(json(404, { code: 'orb-not-found', title: 'no' }, 'application/problem+json'));
    const ended = await cli.run(['example', 'traffic', '--for', '3s', '--server', other.url]);
    await other.close();
    expect([ended.exit, ended.err]).to.deep.equal([
      2,
      'orb: there is no example.lookup@1.0.0: npm start without --resources has it\n',
    ]);
  });
});
