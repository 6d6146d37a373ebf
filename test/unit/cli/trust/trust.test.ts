import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSequence, readPins } from '../../../../cli/trust/trust-store.ts';
import { trustFile } from '../../../../cli/trust/trust-file.ts';
import { readRoot } from '../../../../cli/trust/root-key.ts';
import { aCli, ioOf, patientClock, type TestCli } from '../../../support/cli-io.ts';

// RFC 8032 test key 1 with its RFC 8037 thumbprint, and a second one.
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const ROOT = `{"kty":"OKP","crv":"Ed25519","x":"${X}"}`;
const KID = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const OTHER = '{"crv":"Ed25519","kty":"OKP","x":"fUG3yNPoD-in4FCjTrdbxmbiPKSK3lI1iPeTIlOJHzU"}';
const OTHER_KID = 'IpgXOrtTtqJU2N8RmSdZLiTsR0Tc0VV6RBL_p4B-t5o';
const ISSUER = 'https://orbs.example';

describe('orb trust', () => {
  let cli: TestCli;
  const file = (): string => join(cli.folder, 'config/trust.json');
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('pins a root, shows its thumbprint and lists it', async () => {
    const { exit, out, err } = await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    expect([exit, out]).to.deep.equal([0, `${ISSUER}  root ${KID}\n`]);
    expect(err).to.include('compare the thumbprint');
    expect((await cli.run(['trust', 'list', '-o', 'name'])).out).to.equal(`${ISSUER}\n`);
    const listed: unknown = JSON.parse((await cli.run(['trust', 'list', '-o', 'json'])).out);
    expect(listed).to.deep.equal({
      roots: [
        {
          issuer: ISSUER,
          root: { crv: 'Ed25519', kty: 'OKP', x: X },
          kid: KID,
          sequence: 0,
          added_at: '2026-11-20T12:00:00.000Z',
        },
      ],
    });
    expect((await cli.run(['trust', 'list'])).out).to.include(KID);
  });

  it('reads the root from a file', async () => {
    const path = join(cli.folder, 'root.jwk.json');
    writeFileSync(path, `${ROOT}\n`);
    expect((await cli.run(['trust', 'add', ISSUER, '--root', path])).out).to.include(KID);
  });

  it('keeps the store from other users', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(statSync(join(cli.folder, 'config')).mode & 0o777).to.equal(0o700);
  });

  it('says that a root was pinned before, and changes nothing', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    const before = readFileSync(file(), 'utf8');
    const { exit, err } = await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    expect([exit, err]).to.deep.equal([0, 'it was pinned before\n']);
    expect(readFileSync(file(), 'utf8')).to.equal(before);
  });

  it('refuses another root for the same issuer and shows both thumbprints', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    const { exit, out, err } = await cli.run(['trust', 'add', ISSUER, '--root', OTHER]);
    expect([exit, out]).to.deep.equal([1, '']);
    expect(err).to.include(KID).and.to.include(OTHER_KID);
    expect((await cli.run(['trust', 'list'])).out).not.to.include(OTHER_KID);
  });

  it('replaces a root when told to, and forgets what was seen of the old one', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    const io = ioOf({ env: { ORB_CONFIG_DIR: join(cli.folder, 'config') } });
    await rememberSequence(io, ISSUER, await readRoot(ROOT, io), 9);
    expect((await cli.run(['trust', 'add', ISSUER, '--root', OTHER, '--replace'])).exit).to.equal(0);
    const pin = (await readPins(io)).get(ISSUER);
    expect([pin?.root.kid, pin?.sequence]).to.deep.equal([OTHER_KID, 0]);
  });

  it('keeps the pins of other issuers', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    await cli.run(['trust', 'add', 'https://b.example:8443', '--root', OTHER]);
    expect((await cli.run(['trust', 'list', '-o', 'name'])).out).to.equal(`https://b.example:8443\n${ISSUER}\n`);
  });

  it('keeps every pin when several are added at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `https://i${index}.example`);
    const exits = await Promise.all(
      names.map((name) => cli.run(['trust', 'add', name, '--root', ROOT], { clock: patientClock })),
    );
    expect(exits.map(({ exit }) => exit)).to.deep.equal(names.map(() => 0));
    expect((await cli.run(['trust', 'list', '-o', 'name'])).out).to.equal(names.map((name) => `${name}\n`).join(''));
  });

  const refused: readonly [string, readonly string[], number, string][] = [
    ['an issuer with a path', [`${ISSUER}/x`, '--root', ROOT], 2, 'an https origin without a path'],
    ['an issuer over http', ['http://orbs.example', '--root', ROOT], 2, 'an https origin'],
    ['an issuer that is no address', ['orbs.example', '--root', ROOT], 2, 'an https origin'],
    ['no root', [ISSUER], 64, '--root JWK is missing'],
    ['a root that is no JSON', [ISSUER, '--root', '{'], 2, 'a root is a JSON Web Key'],
    ['a root file that is not there', [ISSUER, '--root', '/nowhere/root'], 2, 'there is no such file'],
    [
      'a private key, without showing it',
      [ISSUER, '--root', ROOT.replace('}', ',"d":"hunter2"}')],
      2,
      'this is a PRIVATE key',
    ],
    ['a key of another kind', [ISSUER, '--root', '{"kty":"EC","crv":"P-256","x":"a","y":"b"}'], 2, 'an Ed25519 key'],
    ['a key of another length', [ISSUER, '--root', '{"kty":"OKP","crv":"Ed25519","x":"AAAA"}'], 2, 'not 32 bytes'],
  ];
  for (const [why, argv, code, message] of refused) {
    it(`refuses ${why}`, async () => {
      const { exit, out, err } = await cli.run(['trust', 'add', ...argv]);
      expect([exit, out]).to.deep.equal([code, '']);
      expect(err).to.include(message).and.not.to.include('hunter2');
    });
  }

  const damaged: readonly [string, string][] = [
    ['no JSON', '{'],
    ['another format', '{"format":"orb-trust/2","issuers":{}}'],
    ['a list', '[]'],
    [
      'a pin without a key',
      '{"format":"orb-trust/1","issuers":{"https://orbs.example":{"sequence":1,"added_at":"x"}}}',
    ],
    [
      'a pin without a sequence',
      `{"format":"orb-trust/1","issuers":{"https://orbs.example":{"root":${ROOT},"added_at":"x"}}}`,
    ],
  ];
  for (const [why, text] of damaged) {
    it(`believes nobody when the store holds ${why}, and leaves it as it is`, async () => {
      mkdirSync(join(cli.folder, 'config'));
      writeFileSync(file(), text);
      expect((await cli.run(['trust', 'list'])).exit).to.equal(2);
      expect((await cli.run(['trust', 'add', 'https://b.example', '--root', OTHER])).exit).to.equal(2);
      expect(readFileSync(file(), 'utf8')).to.equal(text);
    });
  }
});

describe('rememberSequence', () => {
  let cli: TestCli;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));

  it('only grows, for the pinned root alone', async () => {
    await cli.run(['trust', 'add', ISSUER, '--root', ROOT]);
    const io = ioOf({ env: { ORB_CONFIG_DIR: join(cli.folder, 'config') } });
    const [root, other] = [await readRoot(ROOT, io), await readRoot(OTHER, io)];
    const seen = async (): Promise<number | undefined> => (await readPins(io)).get(ISSUER)?.sequence;
    await rememberSequence(io, ISSUER, root, 5);
    expect(await seen()).to.equal(5);
    await rememberSequence(io, ISSUER, root, 4);
    expect(await seen()).to.equal(5);
    await rememberSequence(io, ISSUER, other, 9);
    expect(await seen()).to.equal(5);
    await rememberSequence(io, 'https://b.example', root, 9);
    expect((await readPins(io)).size).to.equal(1);
  });
});

describe('trustFile', () => {
  const rows: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['its own folder', { ORB_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' }, '/own/trust.json'],
    ['the configuration folder', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/orb/trust.json'],
    ['the home folder', {}, '/home/me/.config/orb/trust.json'],
    [
      'the home folder when the variables are empty',
      { ORB_CONFIG_DIR: '', XDG_CONFIG_HOME: '' },
      '/home/me/.config/orb/trust.json',
    ],
  ];
  for (const [why, env, expected] of rows) {
    it(`lies in ${why}`, () => expect(trustFile({ env, home: '/home/me' })).to.equal(expected));
  }
});
