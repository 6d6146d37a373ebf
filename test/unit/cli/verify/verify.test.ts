import { expect } from 'chai';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import { rememberSequence } from '../../../../cli/trust/trust-store.ts';
import { readRoot } from '../../../../cli/trust/root-key.ts';
import { aCli, CLI_NOW, ioOf, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aBundle, keys as world } from '../../core/verify/a-world.ts';
import { bundleCases, keysJws, rootJwk, receiptJws } from '../../../support/verify-cases.ts';

const ISSUER = 'https://orbs.example';
const OTHER_ROOT = '{"crv":"Ed25519","kty":"OKP","x":"fUG3yNPoD-in4FCjTrdbxmbiPKSK3lI1iPeTIlOJHzU"}';
const parse = (ran: CliResult): JsonObject => {
  const value: unknown = JSON.parse(ran.out);
  return isJsonObject(value) ? value : {};
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('orb verify', () => {
  let cli: TestCli;
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(cli.folder, name);
    writeFileSync(path, content);
    return path;
  };
  const pin = (): Promise<CliResult> => cli.run(['trust', 'add', ISSUER, '--root', rootJwk]);
  const good = (): string => file('good.json', bundleCases[0]?.bundle ?? '');
  const sequence = async (): Promise<unknown> => JSON.parse((await cli.run(['trust', 'list', '-o', 'json'])).out);
  const keys = (): string => file('keys.json', JSON.stringify({ jws: keysJws }));
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  describe('with the test vectors, roots pinned by orb trust add', () => {
    for (const { id, name, bundle, flags, openings, now, expected } of bundleCases) {
      it(`gives ${expected.verdict} (${expected.code}), exit ${expected.exit}, for ${id}: ${name}`, async () => {
        await pin();
        const fields = openings.flatMap(({ field, value, salt }) => [
          `--${field}`,
          file(`${field}.json`, value),
          `--${field}-salt`,
          salt,
        ]);
        const clock = { now: () => now ?? CLI_NOW, monotonic: () => 0, sleep: async () => undefined };
        const argv = ['verify', file('bundle.json', bundle), ...flags, ...fields];
        const machine = await cli.run([...argv, '--json'], { clock });
        expect(machine.exit).to.equal(expected.exit);
        expect(parse(machine)).to.deep.include({ verdict: expected.verdict, code: expected.code, exit: expected.exit });
        const people = await cli.run(argv, { clock });
        expect(people.exit).to.equal(expected.exit);
        expect(people.out).to.match(new RegExp(`^${expected.verdict}(?:: rcpt_|\\n)`));
        if (expected.code !== 'ok') expect(people.out).to.include(`\n${expected.code}: `);
      });
    }
  });

  it('prints the same by -o json as by --json, and no other format', async () => {
    await pin();
    const path = good();
    const [one, other] = [await cli.run(['verify', path, '-o', 'json']), await cli.run(['verify', path, '--json'])];
    expect(one).to.deep.equal(other);
    expect(parse(one)).to.include({ verdict: 'valid' });
    const refused = await cli.run(['verify', path, '-o', 'yaml']);
    expect(refused.exit).to.equal(64);
    expect(refused.err).to.include('-o yaml: this verb prints text or json');
  });

  it('lists every check, passed or not, and whom the verdict rests on', async () => {
    await pin();
    const value = parse(await cli.run(['verify', good(), '--json']));
    expect(value['checks']).to.deep.equal([
      ...['bundle', 'keys', 'jws', 'record', 'issuer', 'score'].map((id) => ({ id, ok: true })),
      { id: 'openings', ok: null },
      ...['inclusion', 'key_window', 'key_status'].map((id) => ({ id, ok: true })),
      { id: 'age', ok: null },
    ]);
    expect(value).to.have.nested.property('keys.issuer', ISSUER);
    expect(value).to.have.nested.property('keys.sequence', 7);
    expect(value).to.have.nested.property('log.witnessed', false);
    expect(value).to.have.nested.property('record.orb.id', 'acme.echo@1.2.0');
    expect((await cli.run(['verify', good()])).out).to.include('consistent, unwitnessed');
  });

  it('reads a bundle from standard input', async () => {
    await pin();
    expect((await cli.run(['verify', '-'], { stdin: readFileSync(good()) })).exit).to.equal(0);
  });

  describe('whom it believes', () => {
    it('is nobody before a root is pinned, and it says whom the bundle names', async () => {
      const { exit, out } = await cli.run(['verify', good()]);
      expect(exit).to.equal(2);
      expect(out).to.include('unknown_root').and.to.include(ISSUER).and.to.include('orb trust add');
    });

    it('is never shown a name that a terminal would act on', async () => {
      const header = part({ alg: 'Ed25519', kid: '\u001b[2Jfine', typ: 'orb-keys+jws' });
      const forged = `${header}.${part({ issuer: '\u001b[2Jhttps://a.example' })}.${Buffer.alloc(64).toString('base64url')}`;
      const { exit, out } = await cli.run(['verify', good(), '--keys', file('keys.jws', forged)]);
      expect(exit).to.equal(2);
      expect(out)
        .to.include(String.raw`\u001b[2Jfine`)
        .and.to.include(String.raw`\u001b[2Jhttps`)
        .and.not.to.include('\u001b');
    });

    it('is a root that was named for this time, given as text or as a file', async () => {
      expect((await cli.run(['verify', good(), '--root', rootJwk])).exit).to.equal(0);
      expect((await cli.run(['verify', good(), '--root', file('root.json', rootJwk)])).exit).to.equal(0);
      expect((await cli.run(['verify', good()])).exit).to.equal(2);
    });

    it('is not another root, even if it is pinned for the same issuer', async () => {
      await cli.run(['trust', 'add', ISSUER, '--root', OTHER_ROOT]);
      const { exit, out } = await cli.run(['verify', good()]);
      expect(exit).to.equal(2);
      expect(out).to.include('unknown_root').and.to.include('but the root pinned for it is IpgX');
    });

    it('is not a root that is pinned for another issuer only', async () => {
      await cli.run(['trust', 'add', 'https://other.example', '--root', rootJwk]);
      const { exit, out } = await cli.run(['verify', good()]);
      expect(exit).to.equal(2);
      expect(out).to.include('unknown_root');
    });

    it('is a root that is pinned for several issuers', async () => {
      await cli.run(['trust', 'add', 'https://a.example', '--root', rootJwk]);
      await pin();
      expect((await cli.run(['verify', good()])).exit).to.equal(0);
    });
  });

  describe('the newest keys document', () => {
    it('is remembered when the pinned root signed it', async () => {
      await pin();
      await cli.run(['verify', good()]);
      expect(await sequence()).to.have.nested.property('roots[0].sequence', 7);
    });

    it('is not remembered from a document that the root did not sign, or when a root was only named', async () => {
      await pin();
      await cli.run(['verify', file('bad.json', bundleCases.find(({ id }) => id === 'B28')?.bundle ?? '')]);
      await cli.run(['verify', good(), '--root', rootJwk]);
      expect(await sequence()).to.have.nested.property('roots[0].sequence', 0);
    });

    it('makes an older one keys_invalid: a key revoked since then would pass', async () => {
      await pin();
      const io = ioOf({ env: { ORB_CONFIG_DIR: join(cli.folder, 'config') } });
      await rememberSequence(io, ISSUER, await readRoot(rootJwk, io), 8);
      const { exit, out } = await cli.run(['verify', good()]);
      expect(exit).to.equal(2);
      expect(out).to.include('keys_invalid').and.to.include('document 7').and.to.include('--keys FILE');
    });

    it('reports a log that was given up: an old proof counts no more, a new one can be fetched', async () => {
      const changed = aBundle({ document: (old) => ({ ...old, log_origin: 'orbs.example/log-2', sequence: 2 }) });
      const root = JSON.stringify(world.root.jwk);
      const ran = await cli.run(['verify', file('old.json', JSON.stringify(changed)), '--root', root]);
      expect([
        ran.exit,
        ran.out.includes('the log orbs.example/log, which was given up for orbs.example/log-2'),
      ]).to.deep.equal([3, true]);
      expect(ran.out).to.include('orb receipts get ID --bundle FILE');
      const foreign = aBundle({ document: (old) => ({ ...old, log_origin: 'other.example/log-2' }) });
      expect((await cli.run(['verify', file('other.json', JSON.stringify(foreign)), '--root', root])).out)
        .to.include('checkpoint')
        .and.not.to.include('given up');
    });

    it('does not change the verdict when it can not be remembered', async () => {
      await pin();
      const elsewhere = join(cli.folder, 'elsewhere');
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, 'trust.json'), readFileSync(join(cli.folder, 'config/trust.json')));
      mkdirSync(join(elsewhere, 'trust.json.lock'));
      const { exit, err } = await cli.run(['verify', good()], { env: { ORB_CONFIG_DIR: elsewhere } });
      expect(exit).to.equal(0);
      expect(err).to.include("can't remember keys document 7");
    });
  });

  describe('a receipt alone', () => {
    it('needs a keys document', async () => {
      const { exit, err } = await cli.run(['verify', file('r.jws', receiptJws)]);
      expect(exit).to.equal(64);
      expect(err).to.include('--keys FILE');
    });

    const rows: readonly [string, (jws: string) => string, readonly string[], number, string][] = [
      ['without a proof is not trusted', (jws) => jws, [], 3, 'not_in_log'],
      ['is valid where the log is not asked for', (jws) => jws, ['--allow-unlogged'], 0, 'ok'],
      ['may end with a line feed', (jws) => `${jws}\n`, ['--allow-unlogged'], 0, 'ok'],
      ['may not end with two', (jws) => `${jws}\n\n`, ['--allow-unlogged'], 2, 'malformed'],
      ['that was changed is tampered', (jws) => jws.replace(/\.e/, '.f'), ['--allow-unlogged'], 1, 'signature'],
      ['of two parts is malformed', (jws) => jws.replace(/\.[^.]*$/, ''), ['--allow-unlogged'], 2, 'malformed'],
      ['that is empty is malformed', () => '', ['--allow-unlogged'], 2, 'malformed'],
    ];
    for (const [what, change, flags, code, expected] of rows) {
      it(what, async () => {
        await pin();
        const ran = await cli.run(['verify', file('r.jws', change(receiptJws)), '--keys', keys(), ...flags, '--json']);
        expect(ran.exit).to.equal(code);
        expect(parse(ran)['code']).to.equal(expected);
      });
    }

    it('is known by its form when it comes from standard input, with the keys as a JWS', async () => {
      await pin();
      const argv = ['verify', '-', '--keys', file('keys.jws', `${keysJws}\n`), '--allow-unlogged'];
      expect((await cli.run(argv, { stdin: receiptJws })).exit).to.equal(0);
    });

    it('is not judged by a keys document that is none', async () => {
      await pin();
      for (const text of ['', '{', '{}', '{"jws":1}', 'a.b.c']) {
        const ran = await cli.run(['verify', file('r.jws', receiptJws), '--keys', file('keys.json', text), '--json']);
        expect([ran.exit, parse(ran)['code']]).to.deep.equal([2, 'keys_invalid']);
      }
    });
  });

  it('judges a bundle by the keys document that is named instead of its own', async () => {
    await pin();
    const broken = bundleCases.find(({ id }) => id === 'B28')?.bundle ?? '';
    expect((await cli.run(['verify', file('b.json', broken), '--keys', keys()])).exit).to.equal(0);
  });

  it('takes an age as seconds or as a duration', async () => {
    await pin();
    for (const [age, code] of [
      ['7200', 0],
      ['2h', 0],
      ['7100', 3],
      ['1h', 3],
    ] as const) {
      expect((await cli.run(['verify', good(), '--max-age', age])).exit).to.equal(code);
    }
  });

  const refused: readonly [string, (path: string) => readonly string[], number, string][] = [
    ['a file that is not there', () => ['nowhere.json'], 2, 'there is no such file'],
    ['an input without its salt', (path) => [path, '--input', path], 64, 'belong together'],
    ['a salt without its output', (path) => [path, '--output-salt', 'AAAA'], 64, 'belong together'],
    ['a salt that is no base64url', (path) => [path, '--input', path, '--input-salt', 'a+b='], 2, 'base64url'],
    ['an input that is no JSON', (path) => [path, '--input', 'badge', '--input-salt', 'AAAA'], 2, 'not well formed'],
    ['an age that is none', (path) => [path, '--max-age', '-1'], 64, '--max-age'],
    ['a root that is none', (path) => [path, '--root', '{}'], 2, 'an Ed25519 key'],
  ];
  for (const [why, argv, code, message] of refused) {
    it(`ends with ${code} and no verdict for ${why}`, async () => {
      await pin();
      file('badge', '<svg xmlns="http://www.w3.org/2000/svg"/>');
      const words = argv(good()).map((word) =>
        ['badge', 'nowhere.json'].includes(word) ? join(cli.folder, word) : word,
      );
      const { exit, out, err } = await cli.run(['verify', ...words]);
      expect([exit, out]).to.deep.equal([code, '']);
      expect(err).to.include(message);
    });
  }

  it('calls a bundle with any one byte changed anything but valid', async () => {
    await pin();
    const bytes = readFileSync(good());
    // Every 37th byte here; every byte in test/integration/cli.
    for (let at = 0; at < bytes.length; at += 37) {
      const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
      expect((await cli.run(['verify', '-'], { stdin: changed })).exit, `byte ${at}`).to.be.oneOf([1, 2, 3]);
    }
  });
});
