import { expect } from 'chai';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeVaultFile } from '../../../adapters/vault-file/vault-file.ts';
import { vaultPath } from '../../../adapters/vault-file/vault-path.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { codeOf, outputWith, startStandalone, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

// security.md S8: a rotated Secret is in use within 5 s.
const LIVE_MS = 5000;
const OUTPUTS = { id: { type: 'string', from: '/body/id' } };

interface Reported {
  readonly status: number;
  readonly code: string;
  readonly body: JsonObject;
}

/** Asks again until the answer is as wanted. @returns the last answer */
const until = <T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> =>
  lastAnswer(ask, wanted, LIVE_MS);

/** Log lines of JSON that a process printed. */
const logOf = (standalone: Standalone): readonly JsonObject[] =>
  standalone
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line): unknown => JSON.parse(line))
    .filter(isJsonObject);

describe('resources that change while standalone runs', function () {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;

  const at = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const write = (name: string, text: string): void => {
    const path = join(standalone.resources, name);
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };

  const run = async (name: string, orbiset = 'default'): Promise<Reported> => {
    const message = { orb_id: `t.${name}@1.0.0`, inputs: { text: 'x' } };
    const response = await standalone.post(`/orbisets/${orbiset}/execute`, message);
    const body: unknown = await response.json();
    if (!isJsonObject(body)) throw new TypeError('the answer is no object');
    return { status: response.status, code: codeOf(body), body };
  };
  const runs = (name: string, status: number, code = ''): Promise<Reported> =>
    until(
      () => run(name),
      (reported) => reported.status === status && reported.code === code,
    );
  const reports = (file: string): readonly JsonObject[] => logOf(standalone).filter((line) => line['file'] === file);

  before(async () => {
    provider = await startProvider();
    const hosts = ['127.0.0.1'];
    standalone = await startStandalone({
      resources: {
        'steady.json': orbManifest('t.steady@1.0.0', { url: at('/ok') }),
        'secret.json': orbManifest('t.secret@1.0.0', { url: at('/ok'), secret: 'ROTATED' }),
        'vaulted.json': orbManifest('t.vaulted@1.0.0', { url: at('/ok'), secret: 'VAULTED' }),
        'slow.json': orbManifest('t.slow@1.0.0', { url: at('/held') }),
        'default.yaml': orbisetDocuments('default', { ROTATED: { value: 'rotated-value-one', hosts } }),
        'other.yaml': orbisetDocuments('other', {}),
      },
      flags: flags(),
    });
  });

  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('says which file keeps an Orb away, or which Orb was meant', async () => {
    write('mail.yaml', 'orb_id: t.mail@1.0.0\nprovider: main\n  inputs: {}\n');
    const { body } = await until(
      () => run('mail'),
      (answer) => answer.body['detail'] !== undefined,
    );
    expect(body['detail']).to.match(/^mail\.yaml:\d+ is not valid, so this Orb is not there: /);
    rmSync(join(standalone.resources, 'mail.yaml'));
    expect(JSON.stringify((await run('staedy')).body['errors'])).to.include('"suggestion":"t.steady@1.0.0"');
    const listed = await (await standalone.get('/orbs?q=steady')).text();
    expect(listed).to.include('"orb_id":"t.steady@1.0.0"').and.to.include('"ready":true');
  });

  it('runs a new Orb', async () => {
    expect((await run('new')).code).to.equal('orb-not-found');
    write('new.yaml', orbManifest('t.new@1.0.0', { url: at('/status/500'), outputs: OUTPUTS }));
    expect((await runs('new', 502, 'provider-failed')).code).to.equal('provider-failed');
  });

  it('runs the new version of an edited Orb', async () => {
    write('new.yaml', orbManifest('t.new@1.0.0', { url: at('/ok'), outputs: OUTPUTS }));
    expect((await runs('new', 200)).status).to.equal(200);
  });

  const body = 'provider: main\ndescription: x\ninputs: {}\noutputs: {}\nexecution:\n  type: http\n  method: POST\n';
  const broken: readonly (readonly [string, string, JsonObject])[] = [
    [
      'a member that is not known',
      `orb_id: t.new@1.0.0\n${body}  uri: https://x.example/\n`,
      { line: 9, pointer: '/execution/uri' },
    ],
    [
      'a URL that is not allowed',
      `orb_id: t.new@1.0.0\n${body}  url: ftp://x.example/\n`,
      { line: 9, pointer: '/execution/url' },
    ],
    ['half a document', 'orb_id: t.new@1.0.0\nexecution: {type: http,\n', { line: 2 }],
    [
      'a word that kubectl reads as a boolean',
      'orb_id: t.new@1.0.0\nprovider: yes\n',
      { line: 2, pointer: '/provider' },
    ],
    ['no orb_id', body, { pointer: '', code: 'document-unknown' }],
    ['nothing that is UTF-8', Buffer.from([0xff, 0xfe, 0x00]).toString('latin1'), {}],
  ];
  for (const [what, text, place] of broken) {
    it(`lets the last valid version run on, and reports the place: ${what}`, async () => {
      const before = reports('new.yaml').length;
      write('new.yaml', text);
      const found = await until(
        () => Promise.resolve(reports('new.yaml').slice(before)),
        (list) => list.length > 0,
      );
      expect(
        JSON.stringify(found.find((line) => Object.entries(place).every(([key, value]) => line[key] === value))),
      ).to.include('"level":"error"', JSON.stringify(found));
      expect((await run('new')).status).to.equal(200);
      expect((await run('steady')).status).to.equal(200);
    });
  }

  it('says a fault once, not at every scan', async () => {
    const before = reports('new.yaml').length;
    write('unrelated.json', orbManifest('t.unrelated@1.0.0', { url: at('/ok') }));
    await runs('unrelated', 200);
    expect(reports('new.yaml').length).to.equal(before);
  });

  for (const [what, text] of [broken[0] ?? ['', ''], broken[2] ?? ['', '']])
    it(`runs the last valid version on after a restart, out of the ledger: ${what}`, async () => {
      write('new.yaml', text);
      const data = dirname(standalone.data);
      expect(await standalone.stop()).to.equal(0);
      const before = standalone.ready;
      standalone = await startStandalone({ data, resources: {}, flags: flags() });
      expect(standalone.ready.api_key).to.equal(before.api_key);
      expect((await run('new')).status).to.equal(200);
      const said = 'the last valid version keeps running';
      expect(await outputWith(standalone, said)).to.include(said);
    });

  it('takes a file that is mended, and forgets an Orb whose file is removed', async () => {
    write('new.yaml', orbManifest('t.new@1.0.0', { url: at('/status/404') }));
    expect((await runs('new', 502, 'provider-rejected')).code).to.equal('provider-rejected');
    rmSync(join(standalone.resources, 'new.yaml'));
    expect((await runs('new', 404, 'orb-not-found')).code).to.equal('orb-not-found');
    expect((await run('steady')).status).to.equal(200);
  });

  it('uses a rotated Secret within 5 s', async () => {
    await run('secret');
    expect(provider.seen.at(-1)?.headers.authorization).to.equal('Bearer rotated-value-one');
    write(
      'default.yaml',
      orbisetDocuments('default', { ROTATED: { value: 'rotated-value-two', hosts: ['127.0.0.1'] } }),
    );
    const last = await until(
      async () => {
        await run('secret');
        return provider.seen.at(-1)?.headers.authorization;
      },
      (sent) => sent === 'Bearer rotated-value-two',
    );
    expect(last).to.equal('Bearer rotated-value-two');
  });

  it('says the line that adds a missing secret, and uses what was set within 5 s', async () => {
    const missing = await run('vaulted');
    expect(missing.code).to.equal('secret-missing');
    expect(JSON.stringify(missing.body)).to.include('secrets set VAULTED --host 127.0.0.1');
    const entry = { name: 'VAULTED', value: Buffer.from('vaulted-value-one'), hosts: ['127.0.0.1'] };
    await writeVaultFile(vaultPath(standalone.data, 'default', 'default'), [entry]);
    expect((await runs('vaulted', 200)).status).to.equal(200);
    expect(provider.seen.at(-1)?.headers.authorization).to.equal('Bearer vaulted-value-one');
  });

  it('keeps what a vault file held when somebody breaks it', async () => {
    const path = vaultPath(standalone.data, 'default', 'default');
    writeFileSync(path, 'entries: [{name: VAULTED, value_b64: "not base64!"}]\n');
    const said = await until(
      () =>
        Promise.resolve(
          logOf(standalone).some(
            ({ message }) => message === 'a vault file can not be used; what it held before stays',
          ),
        ),
      (found) => found,
    );
    expect(said).to.equal(true);
    expect((await run('vaulted')).status).to.equal(200);
    expect(standalone.output()).not.to.include('not base64!');
  });

  it('ends a run in flight when its Orbiset is suspended: 503 with a receipt', async () => {
    const inFlight = run('slow', 'other');
    await until(
      () => Promise.resolve(provider.seen.at(-1)?.url),
      (url) => url === '/held',
    );
    write('other.yaml', orbisetDocuments('other', {}, { suspended: true }));
    const { status, code, body: problem } = await inFlight;
    expect(`${status} ${code}`).to.equal('503 orbiset-suspended');
    const id = /rcpt_[\w-]+/.exec(JSON.stringify(problem))?.[0];
    const receipt: unknown = await (await standalone.get(`/receipts/${id}`)).json();
    expect(JSON.stringify(receipt)).to.include('"outcome":"platform_error"').and.to.include('"verdict":"valid"');
    const again = await run('steady', 'other');
    expect(`${again.status} ${again.code}`).to.equal('503 orbiset-suspended');
    expect(again.body).not.to.have.property('run');
  });

  it('runs again when the Orbiset is no longer suspended', async () => {
    write('other.yaml', orbisetDocuments('other', {}));
    const reported = await until(
      () => run('steady', 'other'),
      ({ status }) => status === 200,
    );
    expect(reported.status).to.equal(200);
  });

  const checkRefusedWith = async (spec: object): Promise<void> => {
    write('other.yaml', orbisetDocuments('other', {}, { ...spec }));
    const { code } = await until(
      () => run('steady', 'other'),
      ({ status }) => status === 503,
    );
    expect(code).to.equal('policy-unavailable');
    write('other.yaml', orbisetDocuments('other', {}));
    await until(
      () => run('steady', 'other'),
      ({ status }) => status === 200,
    );
  };

  it('runs nothing for an Orbiset with unreadable policies, also in a document that is otherwise wrong', async () => {
    await checkRefusedWith({ policies: { rules: [] } });
    const said = logOf(standalone).find(({ code }) => code === 'policies-unreadable');
    expect(said).to.deep.include({ file: 'other.yaml', pointer: '/spec/policies' });
    expect(said).to.have.property('line');
    await checkRefusedWith({ policies: { rules: [] }, limits: { in_flight: 0 } });
  });
});

describe('a folder of resources that is swapped whole, as Kubernetes mounts one', function () {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;

  const orb = (path: string): Readonly<Record<string, string>> => ({
    'a.json': orbManifest('t.a@1.0.0', { url: `http://127.0.0.1:${provider.port}${path}` }),
  });

  /** Writes the next version and points `..data` to it in one step. */
  function swap(version: string, files: Readonly<Record<string, string>>): void {
    const folder = join(standalone.resources, `..${version}`);
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    symlinkSync(`..${version}`, join(standalone.resources, '..data_tmp'));
    renameSync(join(standalone.resources, '..data_tmp'), join(standalone.resources, '..data'));
    const links = new Set(readdirSync(standalone.resources));
    for (const name of Object.keys(files))
      if (!links.has(name)) symlinkSync(join('..data', name), join(standalone.resources, name));
  }

  before(async () => {
    provider = await startProvider();
    standalone = await startStandalone({
      resources: {},
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`],
    });
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('is one change: no Orb is removed, none is missing in between', async () => {
    const status = async (): Promise<number> =>
      (await standalone.post('/orbisets/default/execute', { orb_id: 't.a@1.0.0', inputs: { text: 'x' } })).status;
    swap('one', orb('/ok'));
    expect(await until(status, (found) => found === 200)).to.equal(200);
    swap('two', orb('/status/500'));
    const seen = new Set<number>();
    await until(status, (found) => {
      seen.add(found);
      return found === 502;
    });
    expect([...seen].filter((found) => found !== 200)).to.deep.equal([502]);
    expect(standalone.output()).not.to.include('Orb removed');
    const loaded = (): Promise<number> => Promise.resolve(standalone.output().split('"Orb applied"').length - 1);
    expect(await until(loaded, (count) => count === 2)).to.equal(2);
  });
});
