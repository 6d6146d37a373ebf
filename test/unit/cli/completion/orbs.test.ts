import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { aCli, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const LIST = json(200, {
  items: [{ orb_id: 'acme.mail@1.0.0' }, { orb_id: 'acme.mailer@2.1.0' }, { orb_id: 'acme.$(touch x)@1.0.0' }],
  next_cursor: null,
});
const MAIL = json(200, { orb_id: 'acme.mail@1.0.0', inputs: { to: { type: 'string' }, text: {}, 'x y': {} } });

describe('completion of Orbs', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));
  afterEach(async () => server?.close());

  /** What is offered, without the last line. */
  async function offered(answer: Answering, ...words: readonly string[]): Promise<readonly string[]> {
    await server?.close();
    server = await aServer(answer);
    const { out, err, exit } = await cli.run(['__complete', ...words], {
      env: { ORB_SERVER: server.url, ORB_API_KEY: 'k' },
    });
    expect([exit, err]).to.deep.equal([0, '']);
    return out.split('\n').slice(0, -2);
  }

  /** @param words as bash splits the line */
  const filled = async (line: string, words: readonly string[], offers: string): Promise<string> => {
    const { out } = await cli.run(['completion', 'bash']);
    const fake = `orb() { printf '%s|' "$@" >&2; printf '${offers}\\n:4\\n'; }`;
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _orb; echo "\${COMPREPLY[*]}"`;
    const script = `${out.replace('2>/dev/null)', ')')}\n${fake}\n${ask}`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    return `${stderr.trim()} → ${stdout.trim()}`;
  };

  it('offers ids that begin like this, behind verbs that take one, and never what is no id', async () => {
    const ids = ['acme.mail@1.0.0', 'acme.mailer@2.1.0'];
    for (const verb of [['run'], ['show'], ['status'], ['swap'], ['pin', 'remove'], ['receipts', 'list', '--orb']])
      expect(await offered(LIST, ...verb, ''), verb.join(' ')).to.deep.equal(ids);
    expect(await offered(LIST, 'run', '--orbiset', 'x', 'acme.mailer')).to.deep.equal(['acme.mailer@2.1.0']);
    expect(server?.received[0]?.url).to.equal('/orbs?q=acme.mailer&limit=200');
  });

  it('asks the tenant that the command line names', async () => {
    await offered(LIST, 'run', '-n', 'acme', '');
    expect(server?.received[0]?.url).to.equal('/orbs?limit=200&namespace=acme');
  });

  it('offers names of inputs that are not given yet', async () => {
    expect(await offered(MAIL, 'run', 'acme.mail@1.0.0', '')).to.deep.equal(['to=', 'text=']);
    expect(server?.received[0]?.url).to.equal('/orbs/acme.mail%401.0.0');
    expect(await offered(MAIL, 'run', 'acme.mail@1.0.0', 'to=a', 't')).to.deep.equal(['text=']);
    expect(await offered(MAIL, 'show', 'acme.mail@1.0.0', '')).to.deep.equal([]);
  });

  it('offers nothing, and says nothing, without a server, a key or a good answer', async () => {
    const answers = [json(401, { code: 'unauthenticated' }, 'application/problem+json'), json(200, []), json(200, {})];
    for (const answer of answers) expect(await offered(answer, 'run', '')).to.deep.equal([]);
    const { out, err } = await cli.run(['__complete', 'run', ''], { env: { ORB_SERVER: 'http://127.0.0.1:1' } });
    expect([out, err]).to.deep.equal([':4\n', '']);
    expect(await offered(LIST, 'run', '--no-such-flag', '')).to.deep.equal([]);
  });

  describe('in bash, which splits words at @ and =', () => {
    const rows: readonly [string, string, readonly string[], string, string][] = [
      [
        'a name',
        'orb run acme.m',
        ['orb', 'run', 'acme.m'],
        'acme.mail@1.0.0',
        '__complete|run|acme.m| → acme.mail@1.0.0',
      ],
      [
        'behind @',
        'orb run acme.mail@1',
        ['orb', 'run', 'acme.mail', '@', '1'],
        'acme.mail@1.0.0',
        '__complete|run|acme.mail@1| → 1.0.0',
      ],
      [
        'at @',
        'orb run acme.mail@',
        ['orb', 'run', 'acme.mail', '@'],
        'acme.mail@1.0.0',
        '__complete|run|acme.mail@| → 1.0.0',
      ],
      [
        'an input',
        'orb run a.b@1.0.0 t',
        ['orb', 'run', 'a.b', '@', '1.0.0', 't'],
        'to=',
        '__complete|run|a.b@1.0.0|t| → to=',
      ],
      [
        'behind an input',
        'orb run a.b@1.0.0 to=x ',
        ['orb', 'run', 'a.b', '@', '1.0.0', 'to', '=', 'x', ''],
        'text=',
        '__complete|run|a.b@1.0.0|to=x|| → text=',
      ],
    ];
    for (const [why, line, words, offers, expected] of rows)
      it(`completes ${why}`, async () => {
        expect(await filled(line, words, offers)).to.equal(expected);
      });
  });
});
