import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiKey } from '../../../../core/api-key/format.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';

describe('orb keys', () => {
  let cli: TestCli;
  const keys = (...argv: readonly string[]): Promise<CliResult> => cli.run(['keys', ...argv, '--data', cli.folder]);
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('prints a new key once, alone on stdout, and stores only its hash', async () => {
    const { exit, out, err } = await keys('create', '--tenant', 'acme');
    expect(exit).to.equal(0);
    const parsed = parseApiKey(out.trim());
    expect(out).to.equal(`${parsed?.text ?? ''}\n`);
    expect(err).to.include(parsed?.keyId).and.to.include('2027-02-18T12:00:00.000Z').and.not.to.include(out.trim());
    const [file = ''] = readdirSync(join(cli.folder, 'api-keys'));
    expect(readFileSync(join(cli.folder, 'api-keys', file), 'utf8')).not.to.include(out.trim().slice(13, 45));
  });

  it('lists what a key may do, never the key', async () => {
    const { out: key } = await keys(
      'create',
      '--tenant',
      'acme',
      '--tenant',
      'globex',
      '--scope',
      'receipts:read',
      '--orb',
      'a.b',
      '--cidr',
      '10.0.0.0/8',
      '--expires',
      '12h',
    );
    const listed: unknown = JSON.parse((await keys('list', '-o', 'json')).out);
    const keyId = parseApiKey(key.trim())?.keyId;
    expect(listed).to.deep.equal({
      keys: [
        {
          keyid: keyId,
          tenants: ['acme', 'globex'],
          scopes: ['receipts:read'],
          orbs: ['a.b'],
          not_before: '2026-11-20T12:00:00.000Z',
          expires_at: '2026-11-21T00:00:00.000Z',
          state: 'active',
          created_by: 'orb keys create',
        },
      ],
    });
    const { out } = await keys('list');
    expect(out).to.include(keyId).and.to.include('acme,globex').and.not.to.include(key.trim());
    expect((await keys('list', '-o', 'name')).out).to.equal(`${keyId}\n`);
  });

  it('stores the rate of a key, in place of that of all keys', async () => {
    const { out: key } = await keys('create', '--tenant', 'acme', '--rate', '5:9');
    const keyId = parseApiKey(key.trim())?.keyId ?? '';
    const texts = readdirSync(join(cli.folder, 'api-keys')).map((file) =>
      readFileSync(join(cli.folder, 'api-keys', file), 'utf8'),
    );
    expect(texts.find((text) => text.includes(keyId))).to.match(/rate: ['"]?5:9/);
    const listed = (await keys('list', '-o', 'json')).out;
    expect(listed).to.include('"rate": "5:9"');
  });

  it('shows a key that has expired as such', async () => {
    await keys('create', '--tenant', '*', '--expires', '1h');
    const later = { now: () => 1_795_176_000_000 + 3_600_000, monotonic: () => 0, sleep: async () => undefined };
    expect((await cli.run(['keys', 'list', '--data', cli.folder], { clock: later })).out).to.match(/ expired /);
  });

  it('notes who made it', async () => {
    await cli.run(['keys', 'create', '--tenant', 'acme', '--data', cli.folder], { env: { USER: 'ann\n' } });
    expect((await keys('list')).out).to.include('orb keys create by ann');
  });

  it('revokes a key by its id', async () => {
    const { out } = await keys('create', '--tenant', 'acme');
    const keyId = parseApiKey(out.trim())?.keyId ?? '';
    expect(await keys('revoke', keyId)).to.deep.equal({ exit: 0, out: '', err: `revoked ${keyId}\n` });
    expect((await keys('list', '-o', 'name')).out).to.equal('');
    expect((await keys('revoke', keyId)).exit).to.equal(2);
  });

  it('refuses a whole key as an argument, without repeating it', async () => {
    const { out } = await keys('create', '--tenant', 'acme');
    const { exit, err } = await keys('revoke', out.trim());
    expect(exit).to.equal(64);
    expect(err).to.include('by its id').and.not.to.include(out.trim());
  });

  it('lists nothing where there is nothing', async () => {
    expect((await keys('list', '-o', 'json')).out).to.equal('{\n  "keys": []\n}\n');
  });

  const refused: readonly [string, readonly string[], number, string][] = [
    ['no tenant', [], 64, '--tenant NAME is missing'],
    [
      'a scope that is none, with the near one',
      ['--tenant', 'a', '--scope', 'orbs:exekute'],
      64,
      'did you mean orbs:execute?',
    ],
    ['a tenant that is no namespace', ['--tenant', 'A b'], 2, 'tenants'],
    ['an Orb that is none', ['--tenant', 'a', '--orb', 'b'], 2, 'orbs'],
    ['addresses that are none', ['--tenant', 'a', '--cidr', '10.0.0.1/8'], 2, 'cidrs'],
    ['a rate that is none', ['--tenant', 'a', '--rate', 'fast'], 64, 'such as 100:200'],
    ['a life that is no duration', ['--tenant', 'a', '--expires', 'soon'], 64, 'a duration such as 90d'],
    ['a life over a year', ['--tenant', 'a', '--expires', '366d'], 2, 'at most 365 days'],
  ];
  for (const [why, argv, code, message] of refused) {
    it(`makes no key for ${why}`, async () => {
      const { exit, out, err } = await keys('create', ...argv);
      expect([exit, out]).to.deep.equal([code, '']);
      expect(err).to.include(message);
      expect((await keys('list', '-o', 'name')).out).to.equal('');
    });
  }
});
