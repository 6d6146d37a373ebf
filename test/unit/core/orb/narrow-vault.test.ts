import { expect } from 'chai';
import { narrowVault } from '../../../../core/orb/narrow-vault.ts';
import type { OrbisetSpec } from '../../../../crds/orbiset.ts';

type Vault = NonNullable<OrbisetSpec['vault']>;

const LAST: Vault = {
  secrets: [
    { name: 'mail', allowedHosts: ['api.mail.example', '*.pay.example'] },
    { name: 'any', allowedHosts: ['*'], keys: ['A', 'B'] },
  ],
};
const ANY = { name: 'any', allowedHosts: ['*'], keys: ['A', 'B'] };
const mail = (allowedHosts: unknown, more: object = {}): object => ({
  secrets: [{ name: 'mail', allowedHosts, ...more }, ANY],
});

/** Hosts of each binding that is left, by the name of its Secret. */
const hostsOf = ({ secrets = [] }: Vault): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(secrets.map(({ name, allowedHosts }) => [name, allowedHosts]));
const keysOf = ({ secrets = [] }: Vault, secret: string): unknown => secrets.find(({ name }) => name === secret)?.keys;
const keys = (present: unknown): unknown => keysOf(narrowVault(LAST, { secrets: [{ ...ANY, keys: present }] }), 'any');

describe('narrowVault', () => {
  const rows: readonly (readonly [why: string, present: unknown, mailHosts: readonly string[] | undefined])[] = [
    [
      'keeps what both generations name',
      mail(['api.mail.example', '*.pay.example']),
      ['api.mail.example', '*.pay.example'],
    ],
    ['revokes an emptied list', mail([]), undefined],
    ['revokes a list that became null', mail(null), undefined],
    ['revokes a list that is absent', mail(undefined), undefined],
    ['keeps the last hosts for a text in place of a list', mail('evil.example'), ['api.mail.example', '*.pay.example']],
    ['revokes one host of two', mail(['*.pay.example']), ['*.pay.example']],
    ['knows a host in another spelling', mail(['API.mail.example.']), ['API.mail.example.']],
    ['keeps a narrower host of a pattern', mail(['eu.pay.example']), ['eu.pay.example']],
    ['keeps a narrower pattern', mail(['*.eu.pay.example']), ['*.eu.pay.example']],
    ['adds no host', mail(['evil.example', 'api.mail.example']), ['api.mail.example']],
    ['keeps the last hosts under a wider pattern', mail(['*.example']), ['api.mail.example', '*.pay.example']],
    ['keeps the last hosts under every host', mail(['*']), ['api.mail.example', '*.pay.example']],
    ['names a host once', mail(['*', 'api.mail.example']), ['api.mail.example', '*.pay.example']],
    ['adds no host from the end of a label', mail(['evilpay.example']), undefined],
    ['ignores items that are no texts', mail([7, null, 'api.mail.example']), ['api.mail.example']],
    ['revokes a binding that is gone', { secrets: [ANY] }, undefined],
  ];
  for (const [why, present, expected] of rows)
    it(why, () => {
      const { mail: mailHosts, any } = hostsOf(narrowVault(LAST, present));
      expect([mailHosts, any]).to.deep.equal([expected, ['*']]);
    });

  for (const present of [7, 'x', [], { secrets: {} }, { secrets: 'x' }])
    it(`keeps the last vault for ${JSON.stringify(present)}, which says nothing`, () => {
      expect(narrowVault(LAST, present)).to.deep.equal(LAST);
    });

  for (const present of [undefined, null, {}, { secrets: null }, { secrets: [] }, { secrets: ['mail'] }])
    it(`revokes everything for ${JSON.stringify(present) ?? 'no vault'}`, () => {
      expect(narrowVault(LAST, present)).to.deep.equal({ secrets: [] });
    });

  it('takes no single host for the pattern around it', () => {
    const last: Vault = { secrets: [{ name: 'mail', allowedHosts: ['x.pay.example'] }] };
    expect(hostsOf(narrowVault(last, mail(['*.pay.example', '*.PAY.example'])))).to.deep.equal({
      mail: ['x.pay.example'],
    });
  });

  it('lets any host pass that a binding to every host names', () => {
    const present = { secrets: [{ ...ANY, allowedHosts: ['a.example', '*.b.example'] }] };
    expect(hostsOf(narrowVault(LAST, present))).to.deep.equal({ any: ['a.example', '*.b.example'] });
  });

  it('narrows the keys, and never gives an entry another key', () => {
    expect([keys(['B', 'C']), keys({ A: 'A', B: 'A' }), keys([]), keys('A'), keys(undefined)]).to.deep.equal([
      { B: 'B' },
      { A: 'A' },
      {},
      ['A', 'B'],
      ['A', 'B'],
    ]);
  });

  it('narrows a binding of every key to the keys that are named', () => {
    expect(keysOf(narrowVault(LAST, mail(['api.mail.example'], { keys: ['K', 7] })), 'mail')).to.deep.equal({ K: 'K' });
  });

  it('has no secrets when the last vault had none', () => {
    expect(narrowVault({}, mail(['*']))).to.deep.equal({ secrets: [] });
  });
});
