import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { rawTlsServer, type RawServer } from '../../support/egress.ts';
import { anOrbProcess } from '../../support/orb-process.ts';
import { orbisetDocuments } from '../../support/orbs.ts';
import { tilePathsOf } from '../../support/public-log.ts';
import { startStandalone, type Standalone, type StartOptions } from '../../support/standalone.ts';
import { issue, makeCa } from '../../support/tls.ts';
import { untilTrue } from '../../support/wait-for.ts';
import { BADGE_STYLES } from '../../../core/badge/badge-image.ts';
import { finder, makeCanaries, type Sighting } from './canary-forms.ts';
import { canaryOrbs, PUBLISHED_ORB, PUBLISHED_ORIGIN, publishedOrb, publishedSuite, ways } from './canary-orbs.ts';
import { canaryPolicies, DENIED, keptDecisions, KEPT_BACK } from './canary-policies.ts';
import { SENDINGS, SPELLINGS, startEcho } from './canary-provider.ts';
import { decisionsOf, evaluations, replayed, type Shown } from './canary-simulations.ts';

const canaries = makeCanaries();
const find = finder(canaries);
const [token] = canaries;

const vaultEntries = canaries.map(({ entry }) => entry);
const hosts = ['cnry.orbs.example', '127.0.0.1', 'no-such-name.invalid', 'wrong.orbs.example'];
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

const kindsIn = (found: readonly Sighting[]): readonly string[] => [
  ...new Set(found.map(({ place }) => place.split(' ')[0] ?? '')),
];

describe('a secret that its provider sends back', function () {
  this.timeout(180_000);
  const { folder, run } = anOrbProcess();
  const seen = new Map<string, string>();
  const receipts = new Set<string>();
  let echo: { readonly port: number; readonly server: Server };
  let secureEcho: { readonly port: number; readonly server: Server };
  let wrongName: RawServer;
  let standalone: Standalone;

  const options = (): StartOptions => ({
    resources: {
      ...canaryOrbs(echo.port, vaultEntries),
      ...canaryPolicies(),
      'published.json': publishedOrb(vaultEntries),
      'default.yaml': orbisetDocuments('default', vault),
      'control.yaml': orbisetDocuments('control', {}),
    },
    flags: [
      '--log-level=debug',
      `--egress-ca=${join(folder, 'ca.pem')}`,
      `--egress-allow=http://127.0.0.1:${echo.port}`,
      '--egress-allow=http://127.0.0.1:1',
      `--egress-stub=https://wrong.orbs.example=127.0.0.1:${wrongName.port}`,
      `--egress-stub=${PUBLISHED_ORIGIN}=127.0.0.1:${secureEcho.port}`,
      '--reputation-interval=1s',
    ],
  });

  before(async () => {
    const ca = makeCa();
    writeFileSync(join(folder, 'ca.pem'), ca.certificate);
    const foreign = issue(ca, { names: ['other.orbs.example'] });
    const own = issue(ca, { names: [new URL(PUBLISHED_ORIGIN).hostname] });
    echo = await startEcho();
    secureEcho = await startEcho({ key: own.key, cert: own.certificate });
    wrongName = await rawTlsServer({ key: foreign.key, cert: foreign.certificate }, (socket) => socket.end());
    standalone = await startStandalone(options());
  });

  after(async () => {
    await standalone.stop();
    await wrongName.close();
    for (const { server } of [echo, secureEcho]) {
      server.closeAllConnections();
      server.close();
    }
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

  it('is in no denial whose message says what the caller or the provider sent', async () => {
    const answers: (readonly [string, string])[] = [];
    for (const { value } of canaries) answers.push([DENIED, await send('json', '', { way: DENIED, spelling: value })]);
    for (const spelling of ['raw', 'hex', 'base64', 'url'])
      answers.push([KEPT_BACK, await send('json', '', { way: KEPT_BACK, spelling })]);
    for (const [way, text] of answers) expect([way, text.slice(0, 3)]).to.deep.equal([way, '403']);
    expect(answers.filter(([, text]) => text.includes('"detail":"not [redacted')).length).to.be.greaterThan(3);
    expect(short(find(answers))).to.deep.equal([]);
  });

  it('is in no trace, explanation, decision or change of a replay', async () => {
    for (const { value } of canaries) {
      const given = { way: 'json', spelling: value };
      expect(short(find([['answer', await send('json', '', given)]]))).to.deep.equal([]);
      expect(await send('json', '', { ...given, way: DENIED })).to.match(/^403/);
      const dry = await send('json', '?dry_run=true', { way: DENIED, spelling: value });
      expect(dry).to.include('not [redacted:');
      expect(short(find([['dry run', dry]]))).to.deep.equal([]);
    }
    const of = { platform: standalone, orbiset: 'default', orbId: 'cnry.json@1.0.0' };
    const shown = [...(await evaluations(of, canaries)), ...(await decisionsOf(of)), ...(await replayed(of))];
    // Each of them would show the secret: what stands in its place is there.
    for (const kind of ['evaluation', 'list', 'decision', 'explanation', 'change']) {
      const own = shown.filter(([place]) => place.startsWith(kind));
      const hidden = own.filter(([, text]) => text.includes('[redacted:CNRY_'));
      expect(hidden.length, kind).to.be.above(canaries.length - 2);
      const traced = kind === 'list' || kind === 'decision' ? [] : hidden;
      for (const [place, text] of traced) expect(text, place).to.include('"trace"');
    }
    expect(short(find(shown))).to.deep.equal([]);
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

  it('is in nothing that follows from publishing with it: tests, log, list, profile, certificate, badge', async () => {
    const [file, suite] = [join(folder, 'published.json'), join(folder, 'published.orbtest.json')];
    writeFileSync(file, publishedOrb(vaultEntries));
    writeFileSync(suite, publishedSuite(vaultEntries));
    const flags = ['--data', standalone.data, '--report', join(folder, 'report.json'), '--live'];
    const env = { ORB_SERVER: standalone.ready.url };
    const tested = await run(['test', file, suite, '--orbiset', 'default', ...flags], { env });
    const published = await run(['publish', file, suite, '--data', standalone.data, '--live', '-o', 'json'], { env });
    expect([tested.status, published.status], `${tested.err}${published.err}`).to.deep.equal([0, 0]);
    expect(published.out).to.include('"certification_tier": "bronze"').and.to.include('"provenance": "receipted"');
    const message = { orb_id: PUBLISHED_ORB, inputs: { spelling: 'hex' } };
    for (let count = 0; count < 5; count += 1)
      expect((await standalone.post('/orbisets/default/execute', message)).status).to.equal(200);

    const texts: (readonly [string, string | Buffer])[] = [
      ['output of orb test', `${tested.out}${tested.err}`],
      ['output of orb publish', `${published.out}${published.err}`],
      ...filesBelow(folder, []),
    ];
    const read = async (path: string, accept = '*/*'): Promise<string> => {
      const answer = await standalone.get(path, { accept });
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect(answer.status, path).to.equal(200);
      texts.push([`${path} as ${accept}`, bytes]);
      return bytes.toString('utf8');
    };
    const digest = /"manifest_digest": "([^"]+)"/.exec(published.out)?.[1] ?? '';
    const lists = ['/marketplace/orbs', '/marketplace/orbs/public', '/marketplace/orgs/cnry', `/manifests/${digest}`];
    const badges = BADGE_STYLES.map((style) => `/reputation/${PUBLISHED_ORB}/badge?style=${style}`);
    const wellKnown = ['jwks.json', 'orb-keys.json', 'orb-context/v1', 'orb-status-list/1', 'orb-ontology.json'];
    const paths = [...lists, ...badges, ...wellKnown.map((name) => `/.well-known/${name}`)];
    for (const path of [...paths, `/reputation/${PUBLISHED_ORB}`]) await read(path);
    for (const accept of ['application/json', 'application/vc+jwt', 'application/vnd.orb.bundle+json'])
      await read(`/reputation/${PUBLISHED_ORB}/certificate`, accept);
    for (const accept of ['application/json', 'application/jose'])
      await read(`/marketplace/orbs/${PUBLISHED_ORB}/test-result`, accept);
    const size = Number((await read('/log/checkpoint')).split('\n')[1]);
    expect(size).to.be.greaterThan(256);
    for (const path of tilePathsOf(size)) await read(`/log/${path}`);

    expect(texts.some(([, text]) => text.includes('[redacted:CNRY_TOKEN]'))).to.equal(true);
    expect(short(find(texts))).to.deep.equal([]);
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

  it('is in no decision and in no facts that are kept', async () => {
    const kept = await keptDecisions(standalone.data);
    expect(kept.filter(([place]) => place.startsWith('facts of Response')).length).to.be.greaterThan(50);
    expect(short(find(kept))).to.deep.equal([]);
  });

  it('is found where policies show a run whose Orbiset does not know it, and in no part of that once it does', async () => {
    // The Orbiset `control` has no vault, so nobody knows that its callers send secrets.
    const known = token === undefined ? [] : [token];
    const spelling = token?.value ?? '';
    standalone = await startStandalone({ data: dirname(standalone.data), ...options() });
    const of = { platform: standalone, orbiset: 'control', orbId: 'cnry.control@1.0.0' };
    expect(await send('control', '', { way: DENIED, spelling })).to.match(/^403/);
    await send('control', '', { way: 'json', spelling });
    const shown = async (): Promise<readonly Shown[]> => [
      ...(await evaluations(of, known)),
      ...(await decisionsOf(of)),
      ...(await replayed(of)),
    ];
    const leaked = find(await shown());
    expect(kindsIn(leaked)).to.have.members(['evaluation', 'list', 'decision', 'explanation', 'change']);
    expect(leaked.filter(({ place }) => place.startsWith('evaluation'))).to.have.length.above(3);

    writeFileSync(join(standalone.resources, 'control.yaml'), orbisetDocuments('control', vault));
    const isKnown = async (): Promise<boolean> => find(await evaluations(of, known)).length === 0;
    // A key may ask for 60 simulations a minute.
    await untilTrue('the Orbiset has its vault', isKnown, 30_000, 2000);
    expect(short(find(await shown()))).to.deep.equal([]);

    expect(await standalone.stop()).to.equal(0);
    const kept = find(await keptDecisions(standalone.data)).map(({ place }) => place.split(' ')[0]);
    expect([...new Set(kept)]).to.have.members(['decision', 'facts']);
  });
});
