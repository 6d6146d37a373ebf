import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const MAIL = {
  orb_id: 'acme.mail@1.0.0',
  namespace: 'acme',
  description: 'Sends a letter\u001b[31m.',
  inputs: {
    to: { type: 'string', required: true },
    copies: { type: 'integer', required: true },
    tone: { type: 'string', default: 'kind' },
  },
  outputs: { id: { type: 'string', from: '/body/id' } },
  providers: ['main', 'other'],
  ready: false,
  reason: 'secret-missing',
  fault: null,
  missing_secrets: ['MAIL_KEY'],
  orbisets: [
    {
      orbiset: 'acme.support',
      ready: false,
      reason: 'secret-missing',
      missing_secrets: [{ entry: 'MAIL_KEY', host: 'mail.example' }],
    },
  ],
};
const ECHO = { ...MAIL, orb_id: 'acme.echo@1.0.0', ready: true, reason: null, missing_secrets: [], orbisets: [] };

describe('orb list and orb show', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run([...argv, '--server', server.url]);
  };
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));
  afterEach(async () => server?.close());

  it('lists Orbs with inputs, outputs and what they lack', async () => {
    const { exit, out, err } = await orb(
      json(200, { items: [MAIL, ECHO], next_cursor: 'x@1' }),
      'list',
      'mail',
      '-n',
      'acme',
    );
    expect(exit).to.equal(0);
    expect(server?.received[0]?.url).to.equal('/orbs?q=mail&namespace=acme');
    expect(out.split('\n').slice(0, 3)).to.deep.equal([
      'ORB              READY                        INPUTS          OUTPUTS  DESCRIPTION',
      String.raw`acme.mail@1.0.0  no: secret-missing MAIL_KEY  to,copies,tone  id       Sends a letter\u001b[31m.`,
      String.raw`acme.echo@1.0.0  yes                          to,copies,tone  id       Sends a letter\u001b[31m.`,
    ]);
    expect(err).to.equal('more: --cursor x@1\n');
  });

  it('prints ids alone for scripts', async () => {
    const { out } = await orb(json(200, { items: [MAIL, ECHO], next_cursor: null }), 'list', '-o', 'name');
    expect(out).to.equal('acme.mail@1.0.0\nacme.echo@1.0.0\n');
  });

  it('shows what an Orb takes and gives, the line that stores a missing secret, and the line that runs it', async () => {
    const { exit, out } = await orb(json(200, MAIL), 'show', 'acme.mail@1.0.0');
    expect(exit).to.equal(0);
    expect(server?.received[0]?.url).to.equal('/orbs/acme.mail%401.0.0');
    for (const text of [
      'acme.mail@1.0.0  not ready: secret-missing MAIL_KEY\n',
      '  to      string   required\n',
      '  tone    string   default "kind"\n',
      '  id  string  /body/id\n',
      'providers: main, other\n',
      '    orb secrets set MAIL_KEY --host mail.example --orbiset support -n acme\n',
      'run it: orb run acme.mail@1.0.0 to=TEXT copies:=1 --orbiset support -n acme\n',
    ])
      expect(out).to.include(text);
  });

  it('shows the fault of an Orb that is not valid', async () => {
    const never = {
      ...ECHO,
      ready: false,
      reason: 'orb-not-ready',
      inputs: {},
      outputs: {},
      providers: [],
      fault: 'mail.yaml: x',
    };
    const { out } = await orb(json(200, never), 'show', 'acme.echo@1.0.0');
    expect(out).to.include('not ready: orb-not-ready').and.to.include('not valid: mail.yaml: x');
    expect(out).to.include('inputs: none').and.to.include('orbisets: none');
  });

  it('asks what was meant when there is no such Orb', async () => {
    const errors = [
      { parameter: 'orb_id', code: 'orb-unknown', detail: 'There is no such Orb here.', suggestion: 'acme.mail@1.0.0' },
    ];
    const answer = json(404, { code: 'orb-not-found', title: 'No such Orb', errors }, 'application/problem+json');
    const { exit, err } = await orb(answer, 'show', 'acme.mial@1.0.0');
    expect(exit).to.equal(2);
    expect(err).to.include('Did you mean acme.mail@1.0.0?');
  });
});
