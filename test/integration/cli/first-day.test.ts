import { expect } from 'chai';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { aCli, type CliResult, type TestCli } from '../../support/cli-io.ts';
import { dayOrbs, failingOrbs, wrongFiles } from '../../support/day-orbs.ts';
import { DAY_SECRETS, startDayProvider } from '../../support/day-provider.ts';
import { codeOf, outputWith, startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const WAIT_MS = 20_000;

/** A mistake in a run: what is sent, and what both answers say that the person does next. */
interface Mistake {
  readonly why: string;
  readonly orb: string;
  readonly words?: readonly string[];
  readonly inputs?: JsonObject;
  readonly code: string;
  /** In the answer over HTTP, and in what the command line prints. */
  readonly says: readonly string[];
  /** What the command line alone says. */
  readonly cli?: readonly string[];
}

const MISTAKES: readonly Mistake[] = [
  {
    why: 'an input of a wrong type',
    orb: 'complete',
    words: ['prompt=a', 'max=5'],
    inputs: { prompt: 'a', max: '5' },
    code: 'invalid-inputs',
    says: ['"max" must be of type integer'],
    cli: ['name:=5'],
  },
  {
    why: 'an input with a typo',
    orb: 'search',
    words: ['p=a'],
    inputs: { p: 'a' },
    code: 'invalid-inputs',
    says: ['"q" is required; add it', 'has no input "p"'],
  },
  { why: 'a missing secret', orb: 'guarded', code: 'secret-missing', says: ['secrets set FAR_KEY --host 127.0.0.1'] },
  {
    why: 'an unknown Orb',
    orb: 'serch',
    code: 'orb-not-found',
    says: ['day.search@1.0.0', 'GET /orbs'],
    cli: ['Did you mean'],
  },
  {
    why: 'an Orb whose file is wrong',
    orb: 'typo',
    code: 'orb-not-ready',
    says: ['typo.yaml', 'write {{inputs.text}}'],
  },
  {
    why: 'HTML',
    orb: 'html',
    code: 'provider-failed',
    says: ['not JSON (text/html, 1.2 kB)', 'Check url in the manifest'],
  },
  {
    why: 'a wrong pointer',
    orb: 'pointer',
    code: 'provider-failed',
    says: ['nothing at /body/data/ts; /body is an object: write /body/ts', 'Correct from of the output'],
  },
  {
    why: 'an output of a wrong type',
    orb: 'number',
    code: 'provider-failed',
    says: ['/body/ts is a number, string declared', 'Correct type or from of the output'],
  },
  { why: 'a large answer', orb: 'large', code: 'provider-failed', says: ['answer larger than 4 MiB', 'a page size'] },
  {
    why: 'a 401 without a credential',
    orb: 'denied',
    code: 'provider-rejected',
    says: ["Authorization: 'Bearer {{orbiset.secrets.KEY}}'"],
  },
  { why: 'a time-out', orb: 'slow', code: 'provider-timeout', says: ['within 1 s', 'Raise timeout_ms'] },
  {
    why: 'a name that is not there',
    orb: 'dns',
    code: 'provider-failed',
    says: ['no-such-host.example', 'Nothing was sent'],
  },
];

/** What `orb validate` and the log of the platform say about each file. */
const FILES: readonly (readonly [file: string, says: string])[] = [
  ['typo.yaml', '"{{input.txt}}" is no placeholder: write {{inputs.text}}.'],
  ['secret-typo.yaml', '"{{secrets.KEY}}" is no placeholder: write {{orbiset.secrets.KEY}}.'],
  ['default.yaml', 'write 5 without quotes'],
  ['tab.yaml', 'replace the tab'],
  ['brace.yaml', 'Nothing closes this "{": add "}".'],
  ['unquoted.yaml', 'quote the value'],
  ['loopback.yaml', 'or start with --egress-allow http://127.0.0.1:9.'],
  ['no-inputs.yaml', '"inputs" is missing; without any, write inputs: {}.'],
  ['twice-2.yaml', 'twice-1.yaml also has day.twice@1.0.0; that one is used. Remove one of them.'],
];

describe('the first day with the platform', function () {
  this.timeout(90_000);
  let cli: TestCli;
  let standalone: Standalone;
  let provider: Awaited<ReturnType<typeof startDayProvider>>;

  before(async () => {
    provider = await startDayProvider();
    const { origin } = provider;
    const resources = { ...dayOrbs(origin), ...failingOrbs(origin), ...wrongFiles(origin) };
    standalone = await startStandalone({ resources, flags: ['--egress-allow', origin] });
    cli = aCli();
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
    rmSync(cli.folder, { recursive: true });
  });

  /** A command line in the place of the person: address and key are those that `npm start` left. */
  const orb = (argv: readonly string[], stdin = ''): Promise<CliResult> =>
    lastAnswer(
      () => cli.run([...argv, '--data', standalone.data], { stdin }),
      ({ err }) => !err.includes('503 overloaded'),
      WAIT_MS,
    );
  const run = (name: string, ...words: readonly string[]): Promise<CliResult> =>
    orb(['run', `day.${name}@1.0.0`, ...words]);
  const post = async (name: string, inputs: JsonObject = {}): Promise<JsonObject> => {
    const answer = await standalone.post('/orbisets/default/execute', { orb_id: `day.${name}@1.0.0`, inputs });
    const body: unknown = await answer.json();
    return isJsonObject(body) ? body : {};
  };
  const keep = async (name: string, value: string, ...flags: readonly string[]): Promise<void> => {
    const { exit, err } = await orb(['secrets', 'set', name, ...flags], value);
    expect([exit, err], name).to.have.members([0, err]);
  };

  const outputsOf = async (name: string, ...words: readonly string[]): Promise<unknown> => {
    const { out } = await lastAnswer(
      () => run(name, ...words, '-o', 'json'),
      ({ exit }) => exit === 0,
      WAIT_MS,
    );
    const value: unknown = JSON.parse(out);
    return isJsonObject(value) ? value['outputs'] : value;
  };

  for (const { why, orb: name, words = [], inputs = {}, code, says, cli: own = [] } of MISTAKES) {
    it(`says what to do after ${why}, over HTTP and in the command line`, async () => {
      const body = await post(name, inputs);
      expect(codeOf(body)).to.equal(code);
      const text = JSON.stringify(body).replaceAll('\\"', '"');
      for (const said of says) expect(text).to.include(said);
      const { exit, err } = await run(name, ...words);
      expect(exit).not.to.equal(0);
      for (const said of [code, 'next: ', ...says, ...own]) expect(err).to.include(said);
    });
  }

  it('says how long to wait after a 429, and the same where the next run comes too early', async () => {
    const limited = await post('limited');
    expect([codeOf(limited), limited['retry_after_s']]).to.deep.equal(['provider-rate-limited', 37]);
    const { err } = await run('limited-again');
    for (const said of ['provider-rate-limited', 'asks to wait 37 s', 'wait 37 s', 'raise the quota'])
      expect(err).to.include(said);
    const early = await post('limited');
    expect(codeOf(early)).to.equal('providers-unavailable');
    expect(early['detail']).to.match(/^one: asked for a pause, \d+ s more/);
  });

  it('says what to write for each wrong file, in one pass and in the log', async () => {
    const folder = join(cli.folder, 'orbs');
    mkdirSync(folder);
    for (const [file, text] of Object.entries(wrongFiles(provider.origin))) writeFileSync(join(folder, file), text);
    const { exit, out, err } = await cli.run(['validate', folder, '--egress-allow', provider.origin]);
    expect(exit).to.equal(1);
    const lines = `${out}${err}`.split('\n');
    for (const [file, said] of FILES) {
      expect(lines.filter((line) => line.includes(`/${file}:`)).join('\n'), file).to.include(said);
      await outputWith(standalone, `"file":"${file}"`);
      const logged = standalone.output().replaceAll('\\"', '"');
      expect(logged, file).to.include(said);
    }
  });

  it('says which limit a large body meets', async () => {
    const body = await post('search', { q: 'x'.repeat(1_100_000) });
    expect([codeOf(body), body['detail']]).to.deep.equal([
      'body-too-large',
      'The limit is 1048576 bytes (--max-request-bytes, in the chart api.maxRequestBytes).',
    ]);
    expect(body['next']).to.include('Send less, or ask for a higher limit');
  });

  it('says whose key is wrong', async () => {
    const env = { ORB_API_KEY: 'orb_wrong', ORB_CONFIG_DIR: join(cli.folder, 'config') };
    const { exit, err } = await cli.run(['list', '--data', standalone.data], { env });
    expect(exit).to.equal(2);
    expect(err).to.include('the key of ORB_API_KEY was sent').and.to.include('unset the variable');
  });

  it('says which host a secret lacks, and which entry a provider refused', async () => {
    await keep('FAR_KEY', 'a-far-key-123', '--host', 'api.example.com');
    const refused = await lastAnswer(
      () => post('guarded'),
      (body) => codeOf(body) === 'secret-host-not-allowed',
      WAIT_MS,
    );
    expect(refused['detail']).to.include('secrets set FAR_KEY --host 127.0.0.1');
    await keep('MODEL_KEY', 'not-the-key-1', '--host', '127.0.0.1');
    const wrong = await lastAnswer(
      () => post('complete', { prompt: 'a' }),
      (body) => codeOf(body) === 'provider-refused-credential',
      WAIT_MS,
    );
    expect(wrong['next']).to.include('the vault entry MODEL_KEY');
  });

  it('names an open breaker with its seconds, and says the same in the status', async () => {
    const open = await lastAnswer(
      () => post('down'),
      (body) => codeOf(body) === 'providers-unavailable',
      WAIT_MS,
    );
    expect(open['detail']).to.match(
      /^one: breaker open for \d+ s more \(last failure: HTTP 500\)\. Nothing was sent\./,
    );
    expect(open['next']).to.include('the same Idempotency-Key may be used again');
    const { out } = await orb(['status', 'day.down@1.0.0']);
    expect(out)
      .to.match(/breaker +open since/)
      .and.to.include('every provider fails');
  });

  it('says that lookups opened a breaker, and runs again with the key of a run that sent nothing', async () => {
    const runs: string[] = [];
    const code = await lastAnswer(
      async () => {
        const headers = { 'idempotency-key': 'one-key' };
        const body = { orb_id: 'day.dns@1.0.0', inputs: {} };
        const problem: unknown = await (await standalone.post('/orbisets/default/execute', body, headers)).json();
        const text = JSON.stringify(problem);
        runs.push(/run_[0-9a-f-]{30,}/.exec(text)?.[0] ?? text);
        return codeOf(problem) === 'providers-unavailable' ? text : '';
      },
      (text) => text !== '',
      WAIT_MS,
    );
    expect(code).to.match(
      /one: breaker open for \d+ s more \(last failure: .*no-such-host\.example\)\. Nothing was sent\./,
    );
    expect(new Set(runs).size).to.equal(runs.length).and.to.be.above(1);
  });

  it('runs the four Orbs once their secrets are there', async () => {
    await keep('CHAT_HOOK', DAY_SECRETS.hook, '--host', '127.0.0.1');
    await keep('MODEL_KEY', DAY_SECRETS.key, '--host', '127.0.0.1');
    expect(await outputsOf('notify', 'text=deployed')).to.deep.equal({ status: 200 });
    expect(await outputsOf('complete', 'prompt=hi')).to.include({ tokens: 12 });
    expect(await outputsOf('search', 'q=a')).to.deep.equal({
      total: 2,
      items: [{ title: 'a' }, { title: 'b' }],
      took: 1.5,
      more: false,
    });
    expect(await outputsOf('translate', 'text=hi')).to.deep.equal({ text: 'hallo' });
  });

  it('names the file of an address where nothing listens, in a run too', async () => {
    await standalone.stop('SIGHUP');
    const file = join(standalone.data, 'credentials.json');
    for (const words of [['list'], ['run', 'day.search@1.0.0', 'q=a']]) {
      const { exit, err } = await orb(words);
      expect(exit).to.equal(4);
      for (const said of ['nothing listens there', `from ${file}`, '--server URL or --context NAME'])
        expect(err, words.join(' ')).to.include(said);
    }
  });
});
