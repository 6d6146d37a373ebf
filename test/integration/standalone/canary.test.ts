import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { rawTlsServer, type RawServer } from '../../support/egress.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { issue, makeCa } from '../../support/tls.ts';
import { finder, makeCanaries, type Sighting } from './canary-forms.ts';
import { SENDINGS, SPELLINGS, startEcho } from './canary-provider.ts';

const canaries = makeCanaries();
const find = finder(canaries);
const [token] = canaries;

const OUTPUTS = {
  id: { type: 'string' },
  echo: { type: 'array' },
  keys: { type: 'object' },
  x_echo: { type: 'string' },
};
const WHOLE = { whole: { type: 'string', from: '/body' } };
const WRONG = { id: { type: 'integer', from: '/body/echo/0' } };
const values = canaries.map(({ entry }) => `"{{orbiset.secrets.${entry}}}"`).join(',');

const inputs = {
  way: { type: 'string', default: 'json' },
  spelling: { type: 'string', default: 'raw' },
  status: { type: 'string', default: '200' },
  values: { type: 'array', default: [] },
};

/** How the provider sends values back. */
const ways = [
  ...SPELLINGS.map((spelling) => ({ way: 'json', spelling })),
  ...SPELLINGS.map((spelling) => ({ way: 'text', spelling })),
  ...['hex', 'base64', 'url', 'json', 'html'].flatMap((spelling) =>
    ['headers', 'bytes', 'chunks', 'gzip', 'reason'].map((way) => ({ way, spelling })),
  ),
  ...SENDINGS.map((way) => ({ way, spelling: 'raw' })),
];

type Orb = Parameters<typeof orbManifest>[1];

/** An Orb that sends every canary, in a header, in its URL and in its body. */
function leaking(url: string, change: Partial<Orb> = {}): Orb {
  const headers = {
    Authorization: 'Bearer {{orbiset.secrets.CNRY_TOKEN}}',
    'X-Quotes': '{{orbiset.secrets.CNRY_QUOTES}}',
    'Content-Type': 'application/json',
  };
  const body = {
    headers,
    body_template: `{"values":[${values}]}`,
    max_response_bytes: 150_000,
    expose_error_body: true,
  };
  return { url, outputs: OUTPUTS, ...change, execution: { ...body, ...change.execution }, manifest: { inputs } };
}

function orbs(port: number): Record<string, string> {
  const at = `http://127.0.0.1:${port}/{{inputs.way}}/{{inputs.spelling}}/{{inputs.status}}`;
  const all: Record<string, Orb> = {
    json: leaking(`${at}?key={{orbiset.secrets.CNRY_QUOTES}}`),
    schema: leaking(at, { outputs: WRONG }),
    dns: leaking('https://no-such-name.invalid/?key={{orbiset.secrets.CNRY_TOKEN}}'),
    tls: leaking('https://wrong.orbs.example/{{orbiset.secrets.CNRY_TOKEN}}'),
    connect: leaking('http://127.0.0.1:1/{{orbiset.secrets.CNRY_TOKEN}}/'),
    header: leaking(at, { execution: { headers: { 'X-Lines': '{{orbiset.secrets.CNRY_LINES}}' } } }),
    missing: leaking(at, { execution: { headers: { 'X-None': '{{orbiset.secrets.NONE}}' } } }),
    elsewhere: leaking('https://not-allowed.example/{{orbiset.secrets.CNRY_TOKEN}}'),
    control: {
      url: at,
      outputs: OUTPUTS,
      execution: {
        body_template: '{"values":{{inputs.values}}}',
        max_response_bytes: 150_000,
        expose_error_body: true,
      },
      manifest: { inputs },
    },
  };
  // One for each way: answers of a status that is an error would open the breaker of a single one.
  const each = ways.map(({ way }, index): [string, Orb] => [
    `way-${index}`,
    way === 'text' || way === 'chunks'
      ? leaking(at, { outputs: WHOLE })
      : leaking(`${at}?key={{orbiset.secrets.CNRY_QUOTES}}`),
  ]);
  return Object.fromEntries(
    [...Object.entries(all), ...each].map(([name, orb]) => [`${name}.json`, orbManifest(`cnry.${name}@1.0.0`, orb)]),
  );
}

const hosts = ['127.0.0.1', 'no-such-name.invalid', 'wrong.orbs.example'];
const vault = Object.fromEntries(canaries.map(({ entry, value }) => [entry, { value, hosts }]));

/** Every file below a folder but those that hold the secrets by their nature. */
function filesBelow(folder: string, leftOut: readonly string[]): (readonly [string, Buffer])[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !leftOut.some((name) => path.includes(name)))
    .map((path) => [path, readFileSync(path)] as const);
}

const short = (found: readonly Sighting[]): readonly string[] =>
  [...new Set(found.map(({ place, entry, spelling }) => `${entry} as ${spelling.slice(0, 12)}… in ${place}`))].slice(
    0,
    20,
  );

describe('a secret that its provider sends back', function () {
  this.timeout(60_000);
  const folder = temporaryFolder();
  const seen = new Map<string, string>();
  const receipts = new Set<string>();
  let echo: { readonly port: number; readonly server: Server };
  let wrongName: RawServer;
  let standalone: Standalone;

  before(async () => {
    const ca = makeCa();
    writeFileSync(join(folder, 'ca.pem'), ca.certificate);
    const foreign = issue(ca, { names: ['other.orbs.example'] });
    echo = await startEcho();
    wrongName = await rawTlsServer({ key: foreign.key, cert: foreign.certificate }, (socket) => socket.end());
    standalone = await startStandalone({
      resources: {
        ...orbs(echo.port),
        'default.yaml': orbisetDocuments('default', vault),
        'control.yaml': orbisetDocuments('control', {}),
      },
      flags: [
        '--log-level=debug',
        `--egress-ca=${join(folder, 'ca.pem')}`,
        `--egress-allow=http://127.0.0.1:${echo.port}`,
        '--egress-allow=http://127.0.0.1:1',
        `--egress-stub=https://wrong.orbs.example=127.0.0.1:${wrongName.port}`,
      ],
    });
  });

  after(async () => {
    await standalone.stop();
    await wrongName.close();
    echo.server.closeAllConnections();
    echo.server.close();
    for (const path of [dirname(standalone.data), folder]) rmSync(path, { recursive: true });
  });

  /** Sends one call and keeps the whole answer under a name. */
  async function send(name: string, query: string, given: JsonObject, headers = {}): Promise<string> {
    const orbiset = name === 'control' ? 'control' : 'default';
    const message = { orb_id: `cnry.${name}@1.0.0`, inputs: given };
    const response = await standalone.post(`/orbisets/${orbiset}/execute${query}`, message, headers);
    const body = await response.text();
    const receipt = /"receipt_id":"(rcpt_[^"]+)"/.exec(body)?.[1];
    if (receipt !== undefined) receipts.add(receipt);
    const text = `${response.status}\n${JSON.stringify([...response.headers])}\n${body}`;
    if (orbiset === 'default') seen.set(`answer ${name}${query} ${JSON.stringify(given)}`, text);
    return text;
  }

  it('is in no answer, in whatever spelling and part it comes', async () => {
    for (const [index, { way, spelling }] of ways.entries()) {
      const name = `way-${index}`;
      for (const status of ['200', '401', '500']) await send(name, '', { way, spelling, status });
      await send(name, '?debug=true', { way, spelling, status: '200' });
      await send(name, '?debug=true', { way, spelling, status: '503' });
    }
    expect(seen.size).to.be.greaterThan(5 * SENDINGS.length);
    expect(short(find(seen))).to.deep.equal([]);
    expect([...seen.values()].filter((text) => text.startsWith('200')).length).to.be.greaterThan(SPELLINGS.length);
    expect([...seen.values()].filter((text) => text.includes('[redacted:CNRY_TOKEN]')).length).to.be.greaterThan(50);
  });

  for (const [name, code] of [
    ['dns', '502 provider-failed'],
    ['tls', '502 provider-failed'],
    ['connect', '502 provider-failed'],
    ['schema', '502 provider-failed'],
    ['header', '409 secret-not-header-safe'],
    ['missing', '409 secret-missing'],
    ['elsewhere', '409 secret-host-not-allowed'],
  ] as const) {
    it(`is in no answer when the call fails: ${name}, ${code}`, async () => {
      const texts = [await send(name, '', {}), await send(name, '?debug=true', {})];
      const found = texts.map((text) => `${text.slice(0, 3)} ${/"code":"([a-z-]+)"/.exec(text)?.[1]}`);
      expect(found).to.deep.equal([code, code]);
      expect(short(find(texts.map((text) => [name, text] as const)))).to.deep.equal([]);
    });
  }

  it('is in no dry run', async () => {
    const answers = [];
    for (const name of ['json', 'dns', 'header', 'missing', 'elsewhere'])
      answers.push([name, await send(name, '?dry_run=true', {})] as const);
    expect(short(find(answers))).to.deep.equal([]);
    expect(answers[0]?.[1]).to.include('{{orbiset.secrets.CNRY_TOKEN}}');
  });

  it('is in no answer that is kept for a repeat', async () => {
    const headers = { 'idempotency-key': 'canary-1' };
    const first = await send('json', '', { way: 'json', spelling: 'raw' }, headers);
    const second = await send('json', '', { way: 'json', spelling: 'raw' }, headers);
    expect(first).to.include('[redacted:CNRY_TOKEN]');
    expect(short(find([['repeat', second]]))).to.deep.equal([]);
  });

  it('is found in the answer of a run whose Orbiset does not know it: the search sees a leak in every spelling', async () => {
    const given = canaries.map(({ value }) => value);
    for (const spelling of SPELLINGS) {
      const text = await send('control', '', { way: 'json', spelling, values: given });
      const entries = new Set(find([['control', text]]).map(({ entry }) => entry));
      expect([...entries], spelling).to.have.members(canaries.map(({ entry }) => entry));
    }
    const header = await send('control', '', { way: 'headers', spelling: 'raw', values: given });
    expect(find([['control', header]])[0]?.entry).to.equal(token?.entry);
  });

  it('is in no receipt, in any of its forms', async () => {
    const texts: (readonly [string, string])[] = [];
    const kinds = ['application/json', 'application/jose', 'application/vnd.orb.bundle+json'];
    for (const id of receipts)
      for (const accept of kinds) {
        const text = await (await standalone.get(`/receipts/${id}`, { accept })).text();
        const jws = /[\w-]{40,}\.([\w-]{40,})\.[\w-]{40,}/.exec(text)?.[1] ?? '';
        texts.push([`${accept} ${id}`, text], [`payload of ${id}`, Buffer.from(jws, 'base64url').toString('utf8')]);
      }
    const list: unknown = await (await standalone.get('/receipts?limit=200')).json();
    expect(isJsonObject(list)).to.equal(true);
    expect(texts.length).to.be.greaterThan(500);
    expect(short(find([...texts, ['list', JSON.stringify(list)]]))).to.deep.equal([]);
  });

  it('is not in the metrics', async () => {
    const text = await (await fetch(standalone.ready.metrics_url)).text();
    expect(text).to.include('orb_');
    expect(short(find([['metrics', text]]))).to.deep.equal([]);
  });

  it('is in no other answer of the API', async () => {
    const paths = ['/health', '/openapi.json', '/.well-known/orb-keys.json', '/log/checkpoint', '/no-such-route'];
    const texts: (readonly [string, string])[] = [];
    for (const path of paths) texts.push([path, await (await standalone.get(path)).text()]);
    expect(short(find(texts))).to.deep.equal([]);
  });

  it('is neither in the log at level debug nor in any file but vault and resources, running and stopped', async () => {
    const files = (): Sighting[] => find(filesBelow(dirname(standalone.data), ['/vault/', '/resources/']));
    expect(short(files())).to.deep.equal([]);
    expect(await standalone.stop()).to.equal(0);
    expect(standalone.output().split('\n').length).to.be.greaterThan(300);
    expect(short(find([['output', standalone.output()]]))).to.deep.equal([]);
    expect(short(files())).to.deep.equal([]);
    const everywhere = find(filesBelow(dirname(standalone.data), []));
    expect(everywhere.some(({ place }) => place.includes('/resources/'))).to.equal(true);
  });
});
