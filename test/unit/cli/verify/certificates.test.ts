import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { keys } from '../../core/verify/a-world.ts';
import {
  aBadge,
  aCertificateBundle,
  aJwt,
  aStatusList,
  certificateKeys,
  ISSUED_AT,
  keysFile,
  STATUS_INDEX,
} from '../../core/verify/a-certificate.ts';
import { badge, bundle, CASES, DAY_MS, good, VALID, type Case } from './certificate-cases.ts';

const ROOT = JSON.stringify(keys.root.jwk);
const ISSUER = 'https://orbs.example';

const parse = ({ out }: CliResult): JsonObject => {
  const value: unknown = JSON.parse(out);
  return isJsonObject(value) ? value : {};
};

const clockOf = ({ now = ISSUED_AT + 3_600_000 }: Case) => ({
  clock: { now: () => now, monotonic: () => 0, sleep: async () => undefined },
});

const sample = (what: string): Case => CASES.find((some) => some.what === what) ?? bundle('none', {}, VALID);

describe('orb verify of a certificate', () => {
  let cli: TestCli;
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  const file = (name: string, content: string): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, content);
    return path;
  };

  function argvOf(some: Case): readonly string[] {
    const beside = [
      ...(some.keys === undefined ? [] : ['--keys', file('keys.json', some.keys)]),
      ...(some.list === undefined ? [] : ['--status-list', file('list.jwt', some.list)]),
    ];
    return ['verify', file(some.name, some.content), '--root', ROOT, ...beside, ...(some.flags ?? [])];
  }

  for (const some of CASES) {
    const [verdict, code, exit] = some.expected;
    it(`gives ${verdict} (${code}), exit ${exit}: ${some.what}`, async () => {
      const machine = await cli.run([...argvOf(some), '--json'], clockOf(some));
      expect([parse(machine)['verdict'], parse(machine)['code'], machine.exit], machine.err).to.deep.equal([
        verdict,
        code,
        exit,
      ]);
      const people = await cli.run(argvOf(some), clockOf(some));
      expect(people.exit).to.equal(exit);
      expect(people.out).to.match(new RegExp(`^${verdict}(?:: |\\n)`));
      if (code !== 'ok') expect(people.out).to.include(`\n${code}: `);
    });
  }

  it('lists every check, and says that revocation was not checked', async () => {
    const { out } = await cli.run(argvOf(sample('a good bundle')), clockOf(sample('a good bundle')));
    expect(out).to.match(
      /^valid: gold 96 of acme\.echo@1\.2\.0, issued 2026-11-20T00:03:11Z by https:\/\/orbs\.example$/m,
    );
    expect(out).to.match(
      /^ {2}log holds the certificate +ok +orbs\.example\/log, index 5 of 11; consistent, unwitnessed$/m,
    );
    expect(out).to.match(/^ {2}certificate is in force +ok +2026-11-20T00:03:11Z to 2026-11-27T00:03:11Z$/m);
    expect(out).to.match(/not checked +status list: not checked offline/);
    const value = parse(
      await cli.run([...argvOf(sample('a good bundle')), '--json'], clockOf(sample('a good bundle'))),
    );
    expect(value['checks']).to.deep.equal([
      ...['bundle', 'keys', 'jws', 'record', 'issuer', 'inclusion', 'key_window', 'key_status', 'validity'].map(
        (id) => ({
          id,
          ok: true,
        }),
      ),
      { id: 'status_list', ok: null },
    ]);
    expect(value).to.have.nested.property('certificate.credentialSubject.tier', 'gold');
    expect(value['record']).to.equal(null);
  });

  it('says that a certificate alone came without a proof', async () => {
    const some = sample('a good certificate alone');
    expect((await cli.run(argvOf(some), clockOf(some))).out).to.match(
      /^ {2}log holds the certificate +not checked +it came without a proof$/m,
    );
  });

  it('tells what the certificate of a badge is worth when the image can not be compared', async () => {
    const some = sample('an unknown renderer');
    const { out } = await cli.run(argvOf(some), clockOf(some));
    expect(out).to.include('\nthe certificate in it, alone: valid\n');
    expect(out).to.match(/^undecidable: gold 96 of acme\.echo@1\.2\.0/);
    expect(parse(await cli.run([...argvOf(some), '--json'], clockOf(some)))['certificate_alone']).to.deep.equal({
      verdict: 'valid',
      code: 'ok',
    });
    const late = { ...some, now: ISSUED_AT + 30 * DAY_MS };
    expect((await cli.run(argvOf(late), clockOf(late))).out).to.include('alone: untrusted (expired)\n');
  });

  it('says that it is the list which is too old', async () => {
    const some = sample('a stale list');
    expect((await cli.run(argvOf(some), clockOf(some))).out).to.include('expired: the status list is too old');
  });

  it('names the other Orb when a badge shows its certificate truly', async () => {
    const other = aBadge(aJwt({ facts: { orbId: 'other.orb@2.0.0' } }));
    const some = badge('another Orb', other, VALID);
    expect((await cli.run(argvOf(some), clockOf(some))).out).to.match(/^valid: gold 96 of other\.orb@2\.0\.0,/);
  });

  it('refuses an older keys document than it has seen', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    const newer = JSON.stringify(aCertificateBundle({ document: { ...certificateKeys(), sequence: 2 } }));
    const clock = clockOf(sample('a good bundle'));
    expect((await cli.run(['verify', file('newer.json', newer)], clock)).exit).to.equal(0);
    const old = await cli.run(['verify', file('old.json', JSON.stringify(aCertificateBundle())), '--json'], clock);
    expect([parse(old)['verdict'], parse(old)['code'], old.exit]).to.deep.equal(['undecidable', 'keys_invalid', 2]);
  });

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['a certificate without keys', [], '--keys FILE'],
    ['an age', ['--keys', 'KEYS', '--max-age', '1h'], '--max-age says nothing about a certificate'],
    ['an input', ['--keys', 'KEYS', '--input', 'KEYS', '--input-salt', 'AAAA'], '--input says nothing'],
  ];
  for (const [why, flags, message] of wrong) {
    it(`ends with 64 for ${why}`, async () => {
      const path = file('keys.json', keysFile());
      const argv = [
        'verify',
        file('cert.jwt', good),
        '--root',
        ROOT,
        ...flags.map((word) => (word === 'KEYS' ? path : word)),
      ];
      const { exit, out, err } = await cli.run(argv);
      expect([exit, out]).to.deep.equal([64, '']);
      expect(err).to.include(message);
    });
  }

  it('is one of the lines of a file, with the status list', async () => {
    const lines = file('all.jsonl', `${JSON.stringify(aCertificateBundle())}\n`);
    const clock = clockOf(sample('a good bundle'));
    expect((await cli.run(['verify', lines, '--root', ROOT], clock)).exit).to.equal(0);
    const list = file('list.jwt', aStatusList({ revoked: STATUS_INDEX }));
    const { exit, out } = await cli.run(['verify', lines, '--root', ROOT, '--status-list', list], clock);
    expect(exit).to.equal(3);
    expect(out).to.include('revoked');
  });
});
