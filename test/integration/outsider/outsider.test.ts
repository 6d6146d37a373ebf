import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import { TIERS } from '../../../core/log-entry/entry-members.ts';
import { whyNoGo } from '../../../hack/integration/go-program.ts';
import { openDataLedger } from '../../support/data-ledger.ts';
import { at, objectAt, textAt } from '../../support/members.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { jsonOf } from '../../support/suites.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aChangingProxy, unchanged, type Change, type ChangingProxy } from './changing-proxy.ts';
import { fillMarketplace, growMarketplace } from './marketplace-log.ts';
import { buildOutsider, type Outside, type OutsiderProgram } from './outsider-program.ts';
import { ORBS } from './published-orbs.ts';

const RUNS = Number(process.env['ORB_OUTSIDER_RECEIPTS'] ?? '3000');
/** The most used Orb has more than 5 000 of them. */
const RUNS_FOR_PLATINUM = 100_000;
const EVALUATED_MS = 120_000;

type Profiles = Readonly<Record<string, JsonObject>>;

/** Changes the first occurrence of a text into another one of the same length. */
const replaced =
  (of: string, from: string, to: string): Change =>
  (path, body) => {
    const start = path === of ? body.indexOf(from) : -1;
    if (start >= 0) body.write(to, start, 'latin1');
    return body;
  };

/** Changes one bit of an answer. */
const flipped =
  (of: RegExp, byte: number): Change =>
  (path, body) => {
    if (of.test(path)) body.writeUInt8(body.readUInt8(byte) ^ 1, byte);
    return body;
  };

/** Ids of the caps that lower the score of a profile. */
const activeCaps = (profile: JsonObject): readonly (JsonValue | undefined)[] =>
  ['0', '1', '2', '3', '4'].map((place) => at(profile, 'caps', place)).filter((cap) => cap !== undefined);

/** Another letter of base64url. */
const otherLetter = (text: string): string => (text === 'A' ? 'B' : 'A');

describe('an outsider with the public log', function outsider() {
  this.timeout(60_000 + EVALUATED_MS + RUNS * 2);
  const data = temporaryFolder();
  let program: OutsiderProgram | undefined;
  let standalone: Standalone | undefined;
  let proxy: ChangingProxy | undefined;
  let root = '';
  let profiles: Profiles = {};

  const changedProfile = (orbId: string, change: (profile: JsonObject) => JsonObject): Profiles => {
    const profile = profiles[orbId];
    if (profile === undefined) throw new Error(orbId);
    return { ...profiles, [orbId]: change(profile) };
  };
  async function found(change = unchanged, expected: Profiles = profiles): Promise<Outside> {
    if (program === undefined || proxy === undefined) throw new Error('nothing was started');
    proxy.setChange(change);
    return program.run(proxy.url, root, expected);
  }

  async function profileOf({ get }: Standalone, orbId: string, size: number): Promise<JsonObject> {
    const profile = await waitFor(
      async () => {
        const answer = await get(`/reputation/${orbId}`);
        const value = jsonOf(await answer.json());
        const isEvaluated = answer.status === 200 && Number(at(value, 'computed_over', 'tree_size')) >= size;
        return isEvaluated && isJsonObject(value) ? value : undefined;
      },
      EVALUATED_MS,
      200,
    );
    if (profile === undefined) throw new Error(`${orbId} was not evaluated`);
    return profile;
  }

  /** Starts the platform, and waits until every Orb was evaluated over so many entries. */
  async function profilesOver(size: number): Promise<Profiles> {
    const started = await startStandalone({ data, resources: {} });
    standalone = started;
    const all = new Map<string, JsonObject>();
    for (const { orbId } of ORBS) all.set(orbId, await profileOf(started, orbId, size));
    return Object.fromEntries(all);
  }

  /** Writes into the ledger of the platform, which has stopped. @returns the size of its log */
  async function written(write: (ledger: Ledger) => Promise<void>): Promise<number> {
    const { ledger } = await openDataLedger(`${data}/data`);
    await write(ledger);
    const size = await ledger.logSize();
    await ledger.close();
    return size;
  }

  before(async function build() {
    const missing = await whyNoGo();
    if (missing !== undefined) {
      process.stderr.write(`skipped: ${missing}\n`);
      this.skip();
    }
    const building = buildOutsider();
    const first = await startStandalone({ data, resources: {} });
    root = /trust add \S+ --root '([^']+)'/.exec(first.output())?.[1] ?? '';
    await first.stop();
    const size = await written((ledger) => fillMarketplace(ledger, RUNS, Date.now()));
    profiles = await profilesOver(size);
    await standalone?.stop();
    // What was shown stays what the log said when it was smaller.
    await written((ledger) => growMarketplace(ledger, Date.now()));
    standalone = await startStandalone({ data, resources: {} });
    proxy = await aChangingProxy(standalone?.ready.url ?? '');
    program = await building;
  });
  after(async () => {
    await standalone?.stop();
    await proxy?.close();
    program?.remove();
    rmSync(data, { recursive: true });
  });

  it('computes score, tier and criteria of every published Orb as the platform does, without a key', async () => {
    const { status, orbs, said } = await found();
    expect([status, said]).to.deep.equal([0, '']);
    const own = orbs.map((orb) => [
      at(orb, 'orb_id'),
      at(orb, 'score_bp'),
      at(orb, 'computed_tier'),
      at(orb, 'criteria'),
    ]);
    const shown = Object.entries(profiles)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([orbId, profile]) => [orbId, profile['score_bp'], profile['computed_tier'], profile['criteria']]);
    expect(own).to.have.length.at.least(50);
    expect(own).to.deep.equal(shown);
    expect(proxy?.withKey).to.deep.equal([]);
  });

  it('was shown all that matters: tiers, caps, penalties, smaller trees', async () => {
    const all = Object.values(profiles);
    const tiers = new Set(all.map((profile) => profile['computed_tier']));
    const reached = RUNS >= RUNS_FOR_PLATINUM ? [...TIERS] : TIERS.filter((tier) => tier !== 'platinum');
    expect([...tiers]).to.have.members(reached);
    const caps = new Set(all.flatMap(activeCaps));
    expect([...caps]).to.have.members([
      'tests_not_current',
      'open_critical_incident',
      'critical_violation_30d',
      'invalid_receipt_7d',
      'suspended',
    ]);
    for (const place of ['0', '1', '2']) {
      const factors = all.map((profile) => Number(at(profile, 'penalties', place, 'factor')));
      expect(
        factors.some((factor) => factor < 1 && factor > 0),
        `penalty ${place}`,
      ).to.equal(true);
    }
    const newest = Number((await (await fetch(`${proxy?.url}/log/checkpoint`)).text()).split('\n')[1]);
    const sizes = all.map((profile) => Number(at(profile, 'computed_over', 'tree_size')));
    expect(sizes.filter((size) => size < newest)).to.have.length(all.length);
  });

  it('finds one changed entry', async () => {
    const { status, orbs, said } = await found(
      replaced('/log/tile/entries/001', '"outcome":"success"', '"outcome":"timeout"'),
    );
    expect(proxy?.changed()).to.equal(1);
    expect([status, orbs]).to.deep.equal([1, []]);
    expect(said).to.match(/^the root of the entries is \S+, the checkpoint has \S+\n$/);
  });

  for (const [name, tile] of [
    ['of a full tile', /^\/log\/tile\/0\/000$/],
    ['of the last tile', /^\/log\/tile\/0\/.*\.p\//],
    ['of a higher level', /^\/log\/tile\/1\//],
  ] as const) {
    it(`finds one changed hash ${name}`, async () => {
      const { status, orbs, said } = await found(flipped(tile, 7));
      expect(proxy?.changed()).to.equal(1);
      expect([status, orbs]).to.deep.equal([1, []]);
      expect(said).to.match(/^\/log\/tile\/\S+: a hash is not that of the entries below it\n$/);
    });
  }

  it('finds a checkpoint and a keys document that were changed', async () => {
    const checkpoint = await found((path, body) =>
      path === '/log/checkpoint' ? Buffer.from(body.toString().replace(/^(\S+\n\d+)/, '$10')) : body,
    );
    expect(checkpoint.status).to.equal(1);
    expect(checkpoint.said).to.match(/^checkpoint: invalid signature/);
    const keys = await found((path, body) =>
      path === '/.well-known/orb-keys.json'
        ? Buffer.from(
            body
              .toString()
              .replace(/\.([\w-])([\w-]{84})/, (_, first: string, rest: string) => `.${otherLetter(first)}${rest}`),
          )
        : body,
    );
    expect(keys.status).to.equal(1);
    expect(keys.said).to.match(/^keys document: the signature of the root is wrong\n$/);
  });

  it('finds one changed number of a profile', async () => {
    const orbId = textAt(profiles['south.relay@1.0.0'] ?? {}, 'orb_id');
    const scored = await found(
      unchanged,
      changedProfile(orbId, (profile) => ({ ...profile, score_bp: Number(profile['score_bp']) + 1 })),
    );
    expect(scored.status).to.equal(1);
    expect(scored.said).to.match(/^south\.relay@1\.0\.0: the profile differs: score_bp is \d+, recomputed \d+\n$/);
    const counted = await found(
      unchanged,
      changedProfile(orbId, (profile) => {
        const evidence = objectAt(profile, 'evidence');
        return { ...profile, evidence: { ...evidence, n_eff: Number(evidence['n_eff']) + 0.000_001 } };
      }),
    );
    expect(counted.status).to.equal(1);
    expect(counted.said).to.match(/^south\.relay@1\.0\.0: the profile differs: evidence is [^\n]+\n$/);
  });

  it('finds an Orb that is only in the log, and one that is only in the profiles', async () => {
    const { 'south.relay@1.0.0': moved, ...rest } = profiles;
    const { status, said } = await found(unchanged, { ...rest, 'south.relay@9.0.0': moved ?? {} });
    expect(status).to.equal(1);
    expect(said.split('\n').slice(0, 2)).to.deep.equal([
      'south.relay@1.0.0: no profile was given',
      'south.relay@9.0.0: the log has no such publication',
    ]);
  });
});
