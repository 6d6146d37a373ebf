import { expect } from 'chai';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const RESULT = {
  run_id: 'run_1',
  status: 'completed',
  outputs: { text: 'a\u001b[31mb', words: 2 },
  receipt: {
    receipt_id: 'rcpt_1',
    trust_score: 100,
    risk_level: 'low',
    signature_valid: true,
    timestamp: '2026-11-20T10:00:00.000Z',
  },
  execution_ms: 12,
  openings: { input: { salt: 'SALT-IN' }, output: { salt: 'SALT-OUT' } },
};
const RUN = {
  run_id: 'run_2',
  status: 'failed',
  attempts: [{ provider: 'main', outcome: 'error', http_status: 500, duration_ms: 9 }],
  receipt: {
    receipt_id: 'rcpt_2',
    trust_score: 40,
    risk_level: 'high',
    signature_valid: true,
    timestamp: '2026-11-20T10:00:00.000Z',
  },
};
const problem = (status: number, code: string, some: object = {}): Answering =>
  json(
    status,
    { type: 'x', title: 'A title', status, code, next: 'Do this.', request_id: 'req_1', ...some },
    'application/problem+json',
  );
const DRY = {
  dry_run: true,
  orb_id: 'a.b@1.0.0',
  orbiset: 'default.default',
  effective_provider: 'main',
  providers: [
    {
      provider: 'main',
      eligible: true,
      request: {
        method: 'POST',
        url: 'https://a.example/x',
        headers: [{ name: 'Authorization', value: 'Bearer {{orbiset.secrets.K}}' }],
        body: '{"a":1}',
      },
      secrets: [{ entry: 'K', present: true, host: 'a.example', host_allowed: true }],
    },
  ],
};

describe('orb run', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const orb = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['run', 'a.b@1.0.0', '--server', server.url, ...argv], { env: { ORB_API_KEY: 'the-secret-key' } });
  };
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('sends Orb and inputs to the Orbiset, with the key as bearer token', async () => {
    await orb(
      json(200, RESULT),
      'text=hi',
      'n:=5',
      '--orbiset',
      'support',
      '-n',
      'acme',
      '--idempotency-key',
      'once',
      '--debug',
    );
    const [request] = server?.received ?? [];
    expect(request?.method).to.equal('POST');
    expect(request?.url).to.equal('/orbisets/acme.support/execute?debug=true');
    expect(JSON.parse(request?.body ?? '')).to.deep.equal({ orb_id: 'a.b@1.0.0', inputs: { text: 'hi', n: 5 } });
    expect(request?.headers).to.include({
      authorization: 'Bearer the-secret-key',
      'idempotency-key': 'once',
      'content-type': 'application/json',
    });
  });

  it('uses the Orbiset default and sends empty inputs', async () => {
    await orb(json(200, RESULT));
    expect(server?.received[0]?.url).to.equal('/orbisets/default/execute');
    expect(JSON.parse(server?.received[0]?.body ?? '')).to.deep.equal({ orb_id: 'a.b@1.0.0', inputs: {} });
  });

  it('keeps a name of an Orbiset inside its path segment', async () => {
    await orb(json(200, RESULT), '--orbiset', '../x?y');
    expect(server?.received[0]?.url).to.equal('/orbisets/..%2Fx%3Fy/execute');
  });

  it('prints outputs, receipt and the salts that are told once', async () => {
    const { exit, out, err } = await orb(json(200, RESULT));
    expect([exit, err]).to.deep.equal([0, '']);
    expect(out).to.include('completed in 12 ms').and.to.include('rcpt_1  trust 100, risk low, signature valid');
    expect(out).to.include('SALT-IN').and.to.include('SALT-OUT');
    expect(out)
      .to.include('words')
      .and.to.include(String.raw`"a\u001b[31mb"`);
  });

  it('prints a signature that does not hold as such', async () => {
    const { out } = await orb(json(200, { ...RESULT, receipt: { ...RESULT.receipt, signature_valid: false } }));
    expect(out).to.include('SIGNATURE NOT VALID');
  });

  it('prints the whole result for machines', async () => {
    expect(JSON.parse((await orb(json(200, RESULT), '-o', 'json')).out)).to.deep.equal(RESULT);
    await server?.close();
    expect((await orb(json(200, RESULT), '-o', 'yaml')).out).to.include('run_id: run_1\n');
  });

  const failures: readonly [string, Answering, number, readonly string[]][] = [
    [
      'a run that failed',
      problem(502, 'provider-failed', { run: RUN, provider_status: 500 }),
      1,
      [
        '502 provider-failed: A title',
        'run run_2 failed',
        'attempt main: error, HTTP 500, 9 ms',
        'rcpt_2, trust 40, risk high',
        'provider answered 500',
      ],
    ],
    ['a denied run', problem(403, 'policy-denied', { run: { ...RUN, status: 'denied' } }), 1, ['run_2 denied']],
    [
      'a run that may have happened without a receipt',
      problem(503, 'ledger-unavailable', { maybe_executed: true }),
      1,
      ['may have executed it'],
    ],
    [
      'wrong inputs, each with its pointer',
      problem(422, 'invalid-inputs', {
        errors: [
          { pointer: '/inputs/n', code: 'input-type', detail: 'Give a number.' },
          { pointer: '/inputs/txet', code: 'input-unknown', detail: 'No such input.', suggestion: 'text' },
        ],
      }),
      2,
      ['/inputs/n  input-type: Give a number.', 'No such input. Did you mean text?', 'name:=5'],
    ],
    [
      'a missing secret, with the line that adds it',
      problem(409, 'secret-missing', { next: 'orb secrets set K --host a.example' }),
      2,
      ['next: orb secrets set K --host a.example'],
    ],
    ['a bad key, without printing it', problem(401, 'unauthenticated'), 2, ['401 unauthenticated']],
    ['an overloaded service', problem(503, 'overloaded'), 4, ['503 overloaded']],
    ['too many requests', problem(429, 'rate-limited'), 4, ['429 rate-limited']],
    ['a fault of the service', problem(500, 'internal-error'), 4, ['request req_1']],
  ];
  for (const [why, answer, code, texts] of failures) {
    it(`ends with ${code} after ${why}`, async () => {
      const { exit, out, err } = await orb(answer);
      expect([exit, out]).to.deep.equal([code, '']);
      for (const text of texts) expect(err).to.include(text);
      expect(err).not.to.include('the-secret-key');
    });
  }

  it('prints a problem for machines on stdout, with the same exit', async () => {
    const { exit, out, err } = await orb(problem(409, 'secret-missing'), '-o', 'json');
    expect([exit, err]).to.deep.equal([2, '']);
    expect(JSON.parse(out)).to.include({ code: 'secret-missing', status: 409 });
  });

  it('says where a key can come from when none was sent', async () => {
    server = await aServer(problem(401, 'unauthenticated'));
    const { err } = await cli.run(['run', 'a.b@1.0.0', '--server', server.url, '--data', cli.folder]);
    expect(err).to.include('no key was sent: set ORB_API_KEY');
  });

  it('prints what a dry run would send, and ends with 0', async () => {
    const { exit, out } = await orb(json(200, DRY), '--dry-run');
    expect(exit).to.equal(0);
    expect(server?.received[0]?.url).to.equal('/orbisets/default/execute?dry_run=true');
    for (const text of [
      'nothing was sent',
      'main: eligible',
      'POST https://a.example/x',
      'Authorization: Bearer {{orbiset.secrets.K}}',
      'vault entry K: there, may be sent to a.example',
    ]) {
      expect(out).to.include(text);
    }
  });

  it('ends a dry run with 1 when no provider could be called, and says why', async () => {
    const [main] = DRY.providers;
    const provider = {
      ...main,
      eligible: false,
      reason: 'secret-missing',
      secrets: [{ entry: 'K', present: false, host: 'a.example', host_allowed: false }],
    };
    const { exit, out } = await orb(json(200, { ...DRY, providers: [provider] }), '--dry-run');
    expect(exit).to.equal(1);
    expect(out).to.include('main: not eligible (secret-missing)').and.to.include('vault entry K: missing');
  });

  describe('--bundle', () => {
    const BUNDLE = '{"receipt":"r","tlog_proof":"p"}';
    let file: string;
    before(() => (file = join(cli.folder, 'receipt.json')));
    const thenBundle =
      (first: Answering): Answering =>
      (request, response, count) =>
        count === 1
          ? first(request, response, count)
          : void response.writeHead(200, { 'content-type': 'application/vnd.orb.bundle+json' }).end(BUNDLE);
    afterEach(() => rmSync(file, { force: true }));

    it('saves the receipt of the run beside its result, byte for byte', async () => {
      const { exit, out } = await orb(thenBundle(json(200, RESULT)), '--bundle', file, '-n', 'acme');
      expect(exit).to.equal(0);
      expect(out).to.include('completed in 12 ms');
      expect(readFileSync(file, 'utf8')).to.equal(BUNDLE);
      expect(server?.received[1]).to.include({ method: 'GET', url: '/receipts/rcpt_1?namespace=acme' });
    });

    it('saves the receipt of a run that failed, and ends with 1', async () => {
      const { exit } = await orb(thenBundle(problem(502, 'provider-failed', { run: RUN })), '--bundle', file);
      expect(exit).to.equal(1);
      expect(readFileSync(file, 'utf8')).to.equal(BUNDLE);
      expect(server?.received[1]?.url).to.equal('/receipts/rcpt_2');
    });

    it('asks for no receipt of a request that started no run', async () => {
      const { exit } = await orb(problem(409, 'secret-missing'), '--bundle', file);
      expect([exit, existsSync(file), server?.received.length]).to.deep.equal([2, false, 1]);
    });

    it('shows the result and ends with the fault when the key may read no receipts', async () => {
      const { exit, out, err } = await orb(
        (...asked) => (asked[2] === 1 ? json(200, RESULT) : problem(403, 'forbidden'))(...asked),
        '--bundle',
        file,
      );
      expect(out).to.include('completed in 12 ms');
      expect(err).to.include('403 forbidden');
      expect([exit, existsSync(file)]).to.deep.equal([2, false]);
    });
  });

  const foreign: readonly [string, Answering][] = [
    ['a web page', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['JSON that is no object', json(200, [])],
    [
      'broken JSON',
      (_request, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
    ],
    [
      'a redirect',
      (_request, response) => void response.writeHead(302, { location: 'https://elsewhere.example' }).end(),
    ],
  ];
  for (const [why, answer] of foreign) {
    it(`ends with 4 when ${why} answers`, async () => {
      const { exit, out, err } = await orb(answer);
      expect([exit, out]).to.deep.equal([4, '']);
      expect(err).to.include('not as an Orb API does');
    });
  }

  it('says that the Orb may have been executed when the answer is lost', async () => {
    const { exit, err } = await orb((_request, response) => void response.destroy(), '--idempotency-key', 'once');
    expect(exit).to.equal(4);
    expect(err).to.include('may have been executed').and.to.include('the same --idempotency-key');
  });

  it('says how to start a server where none listens', async () => {
    const gone = await aServer(json(200, {}));
    await gone.close();
    const { exit, err } = await cli.run(['run', 'a.b@1.0.0', '--server', gone.url]);
    expect(exit).to.equal(4);
    expect(err).to.include('npm start').and.not.to.include('may have been executed');
  });

  const wrong: readonly [string, readonly string[], number, string][] = [
    ['no Orb', [], 64, 'an argument is missing'],
    ['an Orb without a version', ['a.b'], 2, 'an Orb id has the form'],
    ['an unknown format', ['a.b@1.0.0', '-o', 'wide'], 64, 'this verb prints json or yaml'],
    ['an idempotency key with a space', ['a.b@1.0.0', '--idempotency-key', 'a b'], 2, 'visible ASCII'],
    [
      'an idempotency key of a dry run',
      ['a.b@1.0.0', '--idempotency-key', 'a', '--dry-run'],
      64,
      'takes no --idempotency-key',
    ],
    ['a receipt of a dry run', ['a.b@1.0.0', '--bundle', 'r.json', '--dry-run'], 64, 'there is no --bundle of it'],
    ['a receipt between the lines of the result', ['a.b@1.0.0', '--bundle', '-'], 64, '--bundle: a file'],
  ];
  for (const [why, argv, code, message] of wrong) {
    it(`asks nobody about ${why}`, async () => {
      const { exit, err } = await cli.run(['run', ...argv, '--server', 'http://127.0.0.1:1']);
      expect(exit).to.equal(code);
      expect(err).to.include(message);
    });
  }
});
