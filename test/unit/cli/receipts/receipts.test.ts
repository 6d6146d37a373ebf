import { expect } from 'chai';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const RECEIPT = {
  receipt_id: 'rcpt_1',
  trust_score: 100,
  risk_level: 'low',
  signature_valid: true,
  timestamp: '2026-11-20T10:00:00.000Z',
  record: { orb: { id: 'a.b@1.0.0' }, execution: { run_id: 'run_1', outcome: 'success', duration_ms: 12 } },
  jws: 'a.b.c',
  log: { origin: 'orbs.example/log', index: 3, tree_size: 7, proof_url: '/receipts/rcpt_1/proof' },
  verification: {
    verdict: 'valid',
    code: 'ok',
    checks: [
      { id: 'jws', ok: true },
      { id: 'inclusion', ok: null },
      { id: 'score', ok: false },
    ],
    key: null,
    verified_at: 'x',
  },
};
const item = (id: string): object => ({
  receipt_id: id,
  timestamp: '2026-11-20T10:00:00.000Z',
  orb_id: 'a.b@1.0.0',
  outcome: 'success',
  trust_score: 100,
  risk_level: 'low',
  signature_valid: id !== 'rcpt_3',
});
const missing = json(
  404,
  { code: 'receipt-not-found', title: 'No such receipt', status: 404 },
  'application/problem+json',
);
const typed =
  (type: string, text: (count: number) => string): Answering =>
  (_request, response, count) =>
    void response.writeHead(200, { 'content-type': type }).end(text(count));
const BUNDLE = 'application/vnd.orb.bundle+json';
const bundle = (proof: string | null): string =>
  `{"format":"orb-bundle/1","jws":"a.b.c","tlog_proof":${JSON.stringify(proof)},"keys_jws":"k"}\n`;

describe('orb receipts', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['receipts', ...argv, '--server', server.url]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  describe('get', () => {
    it('prints a receipt with what the server says of it', async () => {
      const { exit, out } = await orb(json(200, RECEIPT), 'get', 'rcpt_1');
      expect(exit).to.equal(0);
      expect(server?.received[0]?.url).to.equal('/receipts/rcpt_1');
      for (const text of ['a.b@1.0.0', 'orbs.example/log index 3 of 7', 'valid (ok)', 'FAILED', 'not yet'])
        expect(out).to.include(text);
    });

    it('says that a receipt is not in the log yet', async () => {
      expect((await orb(json(200, { ...RECEIPT, log: null }), 'get', 'rcpt_1')).out).to.match(/log +pending/);
    });

    it('prints it whole for machines', async () => {
      expect(JSON.parse((await orb(json(200, RECEIPT), 'get', 'rcpt_1', '-o', 'json')).out)).to.deep.equal(RECEIPT);
    });

    it('saves the bundle byte for byte', async () => {
      const file = join(cli.folder, 'bundle.json');
      const { exit, out } = await orb(
        typed(BUNDLE, () => bundle('proof')),
        'get',
        'rcpt_1',
        '-n',
        'acme',
        '--bundle',
        file,
      );
      expect([exit, out]).to.deep.equal([0, '']);
      expect(server?.received[0]).to.deep.include({ url: '/receipts/rcpt_1?namespace=acme' });
      expect(server?.received[0]?.headers.accept).to.equal(BUNDLE);
      expect(readFileSync(file, 'utf8')).to.equal(bundle('proof'));
    });

    it('waits until the proof is part of the bundle', async () => {
      const { exit, out, err } = await orb(
        typed(BUNDLE, (count) => bundle(count < 3 ? null : 'proof')),
        'get',
        'rcpt_1',
        '--bundle',
        '-',
      );
      expect([exit, out, err]).to.deep.equal([0, bundle('proof'), '']);
    });

    it('gives up waiting, saves what there is and says what that means', async () => {
      const { exit, out, err } = await orb(
        typed(BUNDLE, () => bundle(null)),
        'get',
        'rcpt_1',
        '--bundle',
        '-',
      );
      expect([exit, out]).to.deep.equal([0, bundle(null)]);
      expect(err).to.include('--allow-unlogged');
      expect(server?.received.length).to.equal(20);
    });

    it('saves the signed receipt alone', async () => {
      const { out } = await orb(
        typed('application/jose', () => 'a.b.c'),
        'get',
        'rcpt_1',
        '--jws',
        '-',
      );
      expect(out).to.equal('a.b.c');
      expect(server?.received[0]?.headers.accept).to.equal('application/jose');
    });

    it('writes no file when there is no receipt', async () => {
      const file = join(cli.folder, 'none.json');
      const { exit, err } = await orb(missing, 'get', 'rcpt_9', '--bundle', file);
      expect(exit).to.equal(2);
      expect(err).to.include('404 receipt-not-found');
      expect(() => readFileSync(file)).to.throw('ENOENT');
    });

    it('writes no file when something else than the API answers 200', async () => {
      const file = join(cli.folder, 'page.json');
      const { exit } = await orb(
        typed('text/html', () => '<html>'),
        'get',
        'rcpt_1',
        '--bundle',
        file,
      );
      expect(exit).to.equal(4);
      expect(() => readFileSync(file)).to.throw('ENOENT');
    });

    it('keeps the id inside its path segment', async () => {
      await orb(missing, 'get', '../log/checkpoint');
      expect(server?.received[0]?.url).to.equal('/receipts/..%2Flog%2Fcheckpoint');
    });

    it('takes one form at a time', async () => {
      expect((await cli.run(['receipts', 'get', 'rcpt_1', '--bundle', 'a', '--jws', 'b'])).exit).to.equal(64);
    });
  });

  it('prints what was swapped, without a score, for the receipt of a swap', async () => {
    const swap = { seq: 12, from: 'sendgrid', to: 'mailgun', reason: 'latency' };
    const { trust_score: _score, risk_level: _risk, ...rest } = RECEIPT;
    const answer = json(200, { ...rest, kind: 'swap', record: { orb: { id: 'a.b@1.0.0' }, swap } });
    const { exit, out } = await orb(answer, 'get', 'rcpt_1');
    expect(exit).to.equal(0);
    expect(out)
      .to.match(/^swap +12 from sendgrid to mailgun, latency$/m)
      .and.not.to.match(/^(?:run|trust) /m);
  });

  describe('list', () => {
    it('asks with every filter, times ago among them', async () => {
      await orb(
        json(200, { items: [], next_cursor: null }),
        'list',
        '--limit',
        '5',
        '--cursor',
        'c=',
        '--orb',
        'a.b@1.0.0',
        '--outcome',
        'timeout',
        '--since',
        '2h',
        '--until',
        '2026-11-20T11:00:00Z',
        '-n',
        'acme',
      );
      const query = new URLSearchParams(server?.received[0]?.url.split('?')[1]);
      expect(Object.fromEntries(query)).to.deep.equal({
        limit: '5',
        cursor: 'c=',
        orb_id: 'a.b@1.0.0',
        outcome: 'timeout',
        since: '2026-11-20T10:00:00.000Z',
        until: '2026-11-20T11:00:00.000Z',
        namespace: 'acme',
      });
    });

    it('prints a line a receipt, and where the next page begins', async () => {
      const { exit, out, err } = await orb(
        json(200, { items: [item('rcpt_2'), item('rcpt_3')], next_cursor: 'abc' }),
        'list',
      );
      expect(exit).to.equal(0);
      expect(server?.received[0]?.url).to.equal('/receipts');
      expect(out.split('\n').length).to.equal(4);
      expect(out)
        .to.match(/rcpt_2 .* valid\n/)
        .and.to.match(/rcpt_3 .* NOT VALID\n/);
      expect(err).to.equal('more: --cursor abc\n');
    });

    it('prints ids alone', async () => {
      expect(
        (await orb(json(200, { items: [item('rcpt_2'), item('rcpt_3')], next_cursor: null }), 'list', '-o', 'name'))
          .out,
      ).to.equal('rcpt_2\nrcpt_3\n');
    });

    it('prints the page for machines', async () => {
      const page = { items: [item('rcpt_2')], next_cursor: null };
      expect(JSON.parse((await orb(json(200, page), 'list', '-o', 'json')).out)).to.deep.equal(page);
    });

    it('refuses a time that is none without asking', async () => {
      const { exit, err } = await cli.run([
        'receipts',
        'list',
        '--since',
        'yesterday',
        '--server',
        'http://127.0.0.1:1',
      ]);
      expect(exit).to.equal(64);
      expect(err).to.include('2h for two hours ago');
    });
  });
});
