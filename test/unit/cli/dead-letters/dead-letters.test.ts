import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const ID = 'dlv_1';
const LETTER = {
  delivery_id: ID,
  source: 'acme/grafana',
  received_at: '2026-11-20T10:00:00.000Z',
  reason: 'no_entity',
  pointer: '/spec/match',
  detail: 'No Orb.',
  attempts: 1,
  bytes: 7,
  has_body: true,
};

describe('orb dead-letters', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['dead-letters', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('list shows why, and whether the body is still there', async () => {
    const page = json(200, { items: [LETTER, { ...LETTER, has_body: false }], next_cursor: null });
    const { exit, out } = await orb(page, 'list', '--source', 'acme/grafana', '--reason', 'no_entity', '--limit', '2');
    expect(exit).to.equal(0);
    expect(out)
      .to.match(/no_entity +\/spec\/match +1 +kept\n/)
      .and.to.match(/no_entity +\/spec\/match +1 +erased\n/);
    const query = new URL(server?.received[0]?.url ?? '', server?.url).searchParams;
    expect(Object.fromEntries(query)).to.deep.equal({ source: 'acme/grafana', reason: 'no_entity', limit: '2' });
  });

  it('get shows what came, on one line and without terminal characters', async () => {
    const full = { ...LETTER, headers: { 'content-type': 'application/json', host: 'x' }, body: '{"a":\n1}\u001b' };
    const { out } = await orb(json(200, full), 'get', ID, '-n', 'acme');
    expect(server?.received[0]?.url).to.equal('/dead-letters/dlv_1?namespace=acme');
    expect(out)
      .to.match(/reason +no_entity: No Orb\.\n/)
      .and.to.match(/headers +content-type: application\/json\n +host: x\n/);
    expect(out).to.match(/body +7 bytes\n\n\{"a":\\u000a1\}\\u001b\n$/);
    await server?.close();
    expect((await orb(json(200, { ...full, body: null }), 'get', ID)).out).to.match(/body +erased, or no UTF-8\n$/);
  });

  const redrives: readonly (readonly [argv: readonly string[], path: string, body: unknown])[] = [
    [[ID, '-n', 'acme'], '/dead-letters/dlv_1/redrive?namespace=acme', undefined],
    [['--source', 'acme/grafana'], '/dead-letters/redrive?namespace=acme', { source: 'acme/grafana', max: 100 }],
    [
      ['--source', 'grafana', '-n', 'acme', '--reason', 'schema', '--max', '7'],
      '/dead-letters/redrive?namespace=acme',
      { source: 'acme/grafana', max: 7, reason: 'schema' },
    ],
  ];
  for (const [argv, path, body] of redrives)
    it(`redrive ${argv.join(' ')} maps again`, async () => {
      const { exit, out } = await orb(json(200, { redriven: 3 }), 'redrive', ...argv);
      expect([exit, out]).to.deep.equal([0, 'mapped again: 3\n']);
      const [received] = server?.received ?? [];
      expect([received?.method, received?.url, received?.body]).to.deep.equal([
        'POST',
        path,
        body === undefined ? '' : JSON.stringify(body),
      ]);
    });

  const wrong: readonly (readonly [why: string, argv: readonly string[]])[] = [
    ['neither a delivery nor a source', []],
    ['both', [ID, '--source', 'acme/grafana']],
    ['a reason for one delivery', [ID, '--reason', 'schema']],
    ['a number that is none', ['--source', 'acme/grafana', '--max', '0']],
    ['more than the API takes', ['--source', 'acme/grafana', '--max', '10001']],
  ];
  for (const [why, argv] of wrong)
    it(`redrive refuses ${why} before anything is sent`, async () => {
      const { exit } = await orb(json(500, {}), 'redrive', ...argv);
      expect([exit, server?.received]).to.deep.equal([64, []]);
    });

  it('ends with 2 when the body was erased', async () => {
    const problem = json(409, { code: 'dead-letter-erased', title: 'T' }, 'application/problem+json');
    expect((await orb(problem, 'redrive', ID)).exit).to.equal(2);
  });
});
