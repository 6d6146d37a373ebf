import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { LogEntry } from '../../../../core/log-entry/entry.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { ECHO, ECHO_DAY, ECHO_DIGEST, echoLog } from '../../../support/echo-log.ts';
import { plainInput } from '../../../support/plain-reputation.ts';
import { plainScoreBp } from '../../../support/plain-score.ts';
import { aPublicLog, type PublicLog } from '../../../support/public-log.ts';

const SUBJECT = { orbId: ECHO, manifestDigest: ECHO_DIGEST, asOf: ECHO_DAY };
const scoreAt = (log: readonly LogEntry[], size: number): number =>
  plainScoreBp(plainInput(log.slice(0, size), SUBJECT));

const tierChange = (some: Partial<LogEntry & { readonly kind: 'tier_change' }> = {}): LogEntry => ({
  kind: 'tier_change',
  orb_id: ECHO,
  manifest_digest: ECHO_DIGEST,
  from: 'uncertified',
  to: 'bronze',
  tier_status: 'stable',
  score_bp: scoreAt(echoLog, 500),
  algorithm: 'orb-reputation/1',
  as_of: ECHO_DAY,
  tree_size: 500,
  criteria_failed: [],
  at: '2026-11-20T00:05:00.000Z',
  ...some,
});

const parsed = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('no object');
  return value;
};

const at = (size: number): readonly string[] => ['--at', String(size), '--as-of', ECHO_DAY];

const edited = (path: string, edit: (bytes: Buffer) => Buffer): void => writeFileSync(path, edit(readFileSync(path)));

describe('orb reputation recompute', () => {
  let cli: TestCli;
  let log: PublicLog;
  let folder = '';
  const SIZE = echoLog.length + 1;
  const whole = [...echoLog, tierChange()];

  before(async () => {
    log = await aPublicLog();
    await log.append(echoLog);
    await log.append([tierChange()]);
  });
  after(() => log.close());
  beforeEach(async () => {
    cli = aCli();
    folder = await log.mirror();
  });
  afterEach(() => {
    rmSync(cli.folder, { recursive: true });
    rmSync(folder, { recursive: true });
  });

  const runWith = (profile: JsonObject): Promise<CliResult> => {
    writeFileSync(join(cli.folder, 'profile.json'), JSON.stringify(profile));
    return run(folder, '--expect', join(cli.folder, 'profile.json'));
  };
  const run = (place: string, ...more: readonly string[]): Promise<CliResult> =>
    cli.run(['reputation', 'recompute', ECHO, '--log', place, '--root', log.root, ...more]);

  for (const [where, place] of [
    ['a folder of its files', () => folder],
    ['the address of the platform', () => log.url],
    ['the address of the log', () => `${log.url}/log`],
  ] as const) {
    it(`computes the score of the whole log from ${where}`, async () => {
      const { exit, out, err } = await run(place(), ...at(SIZE), '-o', 'json');
      expect([exit, err]).to.deep.equal([0, '']);
      const value = parsed(out);
      expect(value).to.deep.include({
        orb_id: ECHO,
        manifest_digest: ECHO_DIGEST,
        score_bp: scoreAt(whole, SIZE),
        algorithm: 'orb-reputation/1',
      });
      const root = readFileSync(join(folder, 'checkpoint'), 'utf8').split('\n')[2];
      expect(value['computed_over']).to.deep.equal({
        origin: 'orbs.example/log',
        tree_size: SIZE,
        root_hash: root,
        as_of: ECHO_DAY,
      });
    });
  }

  it('computes the score at every earlier size, with the retractions of that size only', async () => {
    for (const size of [3, 4, 256, 257, 512, 600, 601, 603]) {
      const { exit, out } = await run(folder, ...at(size), '-o', 'json');
      expect([exit, parsed(out)['score_bp']], `at ${size}`).to.deep.equal([0, scoreAt(whole, size)]);
    }
    expect(scoreAt(whole, 601)).to.not.equal(scoreAt(whole, 600));
  });

  it('prints score, tier, criteria and changes of the tier for people', async () => {
    const { exit, out } = await run(folder, ...at(SIZE));
    expect(exit).to.equal(0);
    expect(out).to.match(/^orb {11}acme\.echo@1\.2\.0 {2}sha256:12\n/);
    expect(out).to.include(`score_bp ${scoreAt(whole, SIZE)}`);
    expect(out).to.match(/bronze 5\/5, silver \d\/7/);
    expect(out).to.include('tier changes  1 of 1 follow from the log');
  });

  describe('with a published profile', () => {
    let profile: JsonObject = {};
    beforeEach(async () => (profile = parsed((await run(folder, ...at(SIZE), '-o', 'json')).out)));

    it('needs neither tree nor day, and finds it equal', async () => {
      expect(await runWith({ ...profile, certification_tier: 'bronze', history: [] })).to.deep.include({
        exit: 0,
        err: '',
      });
    });

    it('names a number that differs', async () => {
      const { exit, err } = await runWith({ ...profile, score_bp: 9999 });
      expect([exit, err]).to.deep.equal([
        1,
        `the profile differs: score_bp is 9999, recomputed ${scoreAt(whole, SIZE)}\n`,
      ]);
    });

    for (const [why, change] of [
      ['another tier', { computed_tier: 'platinum' }],
      ['another digest', { manifest_digest: 'sha256:77' }],
      ['criteria left out', { criteria: [] }],
      [
        'another root',
        { computed_over: { origin: 'orbs.example/log', tree_size: 701, root_hash: 'AA==', as_of: ECHO_DAY } },
      ],
    ] as const) {
      it(`finds ${why}`, async () => {
        const { exit, err } = await runWith({ ...profile, ...change });
        expect(exit).to.equal(1);
        expect(err).to.match(/^the profile differs: /);
      });
    }
  });

  describe('of a log that was tampered with', () => {
    it('finds one changed byte of an entry', async () => {
      edited(join(folder, 'tile/entries/001'), (bytes) => {
        bytes[1000] = (bytes[1000] ?? 0) ^ 1;
        return bytes;
      });
      const { exit, err } = await run(folder, ...at(SIZE));
      expect(exit).to.equal(1);
      expect(err).to.include('its entries do not give the root of the checkpoint of 701 entries');
    });

    it('finds it beyond the entries that count, too', async () => {
      edited(join(folder, 'tile/entries/002.p/189'), (bytes) => {
        bytes[100] = (bytes[100] ?? 0) ^ 1;
        return bytes;
      });
      expect((await run(folder, ...at(300))).exit).to.equal(1);
    });

    it('finds a bundle with an entry less', async () => {
      edited(join(folder, 'tile/entries/001'), (bytes) => bytes.subarray(0, bytes.length - 1));
      const { exit, err } = await run(folder, ...at(SIZE));
      expect([exit, err.includes('tile/entries/001 is no bundle of entries')]).to.deep.equal([1, true]);
    });

    it('finds a checkpoint of another size or signer', async () => {
      edited(join(folder, 'checkpoint'), (bytes) => Buffer.from(bytes.toString().replace('\n701\n', '\n700\n')));
      const { exit, err } = await run(folder, ...at(600));
      expect([exit, err.includes('not signed by a log key of https://orbs.example')]).to.deep.equal([3, true]);
    });
  });

  describe('of a log whose tier changes do not follow', () => {
    for (const [why, change, text] of [
      ['another score', { score_bp: 9999 }, 'it says 9999'],
      ['a promotion above the computed tier', { from: 'silver', to: 'platinum' }, 'silver to platinum'],
      ['a tree that was not there yet', { tree_size: 100_000 }, 'DIFFERS'],
      ['another digest', { manifest_digest: 'sha256:77' }, 'DIFFERS'],
    ] as const) {
      it(`finds ${why}`, async () => {
        const other = await aPublicLog();
        const size = await other.append([...echoLog, tierChange(change)]);
        const { exit, out } = await cli.run([
          'reputation',
          'recompute',
          ECHO,
          '--log',
          other.url,
          '--root',
          other.root,
          ...at(size),
        ]);
        await other.close();
        expect(exit).to.equal(1);
        expect(out).to.include('0 of 1 follow').and.to.include(text);
      });
    }

    it('does not judge a demotion or another algorithm', async () => {
      const other = await aPublicLog();
      const size = await other.append([
        ...echoLog,
        tierChange({ from: 'platinum', to: 'gold' }),
        tierChange({ algorithm: 'orb-reputation/2', score_bp: 1 }),
      ]);
      const { exit, out } = await cli.run([
        'reputation',
        'recompute',
        ECHO,
        '--log',
        other.url,
        '--root',
        other.root,
        ...at(size),
      ]);
      await other.close();
      expect(exit).to.equal(0);
      expect(out).to.include('2 of 2 follow from the log, 1 by another algorithm not repeated');
    });
  });

  it('takes the full bundle when a partial one is gone', async () => {
    renameSync(join(folder, 'tile/entries/002.p/189'), join(folder, 'tile/entries/002'));
    expect((await run(folder, ...at(SIZE))).exit).to.equal(0);
  });

  const refused: readonly (readonly [why: string, argv: () => readonly string[], exit: number, text: string])[] = [
    ['a size beyond the checkpoint', () => [folder, ...at(702)], 2, 'covers 701 entries only'],
    ['a size before the publication', () => [folder, ...at(1)], 2, 'is not published in the first 1 entries'],
    ['no size', () => [folder, '--as-of', ECHO_DAY], 64, '--at TREE_SIZE'],
    ['size 0', () => [folder, '--at', '0', '--as-of', ECHO_DAY], 64, '--at 0'],
    ['no day', () => [folder, '--at', '5'], 64, '--as-of DAY'],
    ['a day that does not exist', () => [folder, '--at', '5', '--as-of', '2026-13-01'], 64, 'a day such as'],
    ['a folder that is not there', () => [join(folder, 'none'), ...at(5)], 2, 'no folder and no address'],
    [
      'a folder without a log',
      () => [cli.folder, '--keys', join(folder, 'orb-keys.json'), ...at(5)],
      2,
      'no checkpoint',
    ],
    ['a folder without keys', () => [cli.folder, ...at(5)], 64, '--keys FILE'],
    ['an address that is not https', () => ['http://orbs.example', ...at(5)], 64, 'https'],
    ['a file that is no profile', () => [folder, '--expect', join(folder, 'checkpoint')], 2, 'it is no profile'],
  ];
  for (const [why, argv, exit, text] of refused) {
    it(`refuses ${why}`, async () => {
      const [place = '', ...more] = argv();
      const result = await run(place, ...more);
      expect([result.exit, result.out]).to.deep.equal([exit, '']);
      expect(result.err).to.include(text);
    });
  }

  it('refuses a missing bundle', async () => {
    rmSync(join(folder, 'tile/entries/001'));
    const { exit, err } = await run(folder, ...at(SIZE));
    expect([exit, err.includes('the log has no tile/entries/001')]).to.deep.equal([2, true]);
  });

  it('trusts the keys of a pinned root only, and remembers the newest document', async () => {
    const argv = ['reputation', 'recompute', ECHO, '--log', folder, ...at(SIZE)];
    const before = await cli.run(argv);
    expect([before.exit, before.err.includes('unknown_root')]).to.deep.equal([2, true]);
    await cli.run(['trust', 'add', 'https://orbs.example', '--root', log.root]);
    expect((await cli.run(argv)).exit).to.equal(0);
    const { roots } = parsed((await cli.run(['trust', 'list', '-o', 'json'])).out);
    expect(JSON.stringify(roots)).to.include('"sequence":1');
  });
});
