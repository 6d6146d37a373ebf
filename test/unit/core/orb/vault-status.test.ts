import { expect } from 'chai';
import type { VaultReport } from '../../../../core/orb/compile-orbiset.ts';
import { vaultStatus, type EntryInUrl } from '../../../../core/orb/vault-status.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { ORBISET_REASONS } from '../../../../core/orbiset/reasons.ts';
import type { MissingEntry } from '../../../../crds/status.ts';

const report = (change: Partial<VaultReport> = {}): VaultReport => ({
  entries: [],
  missing: [],
  trimmed: [],
  unscrubbable: [],
  ...change,
});
const PLACE = { namespace: 'acme' };
const FORBIDDEN: MissingEntry = { secret: 'a', reason: 'Forbidden' };
const LOST: MissingEntry = { secret: 'b', reason: 'SecretNotFound' };
const KEYLESS: MissingEntry = { secret: 'c', entry: 'TOKEN', reason: 'KeyMissing' };
const TWICE: MissingEntry = { secret: 'd', entry: 'TOKEN', reason: 'DuplicateEntry' };

const ID = parseOrbId('acme.mail@1.0.0');
if (!ID.ok) throw new TypeError('no orb_id');
const IN_URL: EntryInUrl = { entry: 'KEY', orbId: ID.value };

/** The conditions about `count` entries in URLs. */
const inUrlsOf = (count: number): readonly unknown[] =>
  vaultStatus(
    report(),
    Array.from({ length: count }, () => IN_URL),
    PLACE,
  ).conditions.filter(({ type }) => type === 'SecretInUrl');

describe('vaultStatus', () => {
  const rows: readonly (readonly [missing: readonly MissingEntry[], reason: string, message: RegExp])[] = [
    [[], 'VaultComplete', /^Every bound entry exists\.$/],
    [
      [LOST, FORBIDDEN],
      'Forbidden',
      /^The Secret a may not be read: .*RoleBinding orb-vault-reader; there is no Secret b/,
    ],
    [[KEYLESS, LOST], 'SecretNotFound', /^There is no Secret b in acme: create it; the Secret c has no UTF-8 value/],
    [[TWICE, KEYLESS], 'KeyMissing', /the entry TOKEN: add it; the entry TOKEN of the Secret d comes from two Secrets/],
    [[TWICE], 'DuplicateEntry', /rename one with keys\.$/],
  ];
  for (const [missing, reason, message] of rows) {
    it(`is ${reason} with ${missing.length} missing`, () => {
      const { vault, conditions } = vaultStatus(report({ missing }), [], PLACE);
      expect(vault.missing).to.deep.equal(missing);
      expect(conditions).to.have.length(1);
      expect(conditions[0]).to.deep.include({
        type: 'VaultReady',
        reason,
        status: missing.length === 0 ? 'True' : 'False',
      });
      expect(conditions[0]?.message).to.match(message);
    });
  }

  it('uses documented reasons only', () => {
    const missing = [FORBIDDEN, LOST, KEYLESS, TWICE];
    const shown = missing.flatMap(
      (item) =>
        vaultStatus(report({ missing: [item], trimmed: ['x'], unscrubbable: ['y'] }), [IN_URL], PLACE).conditions,
    );
    const documented: Readonly<Record<string, object>> = ORBISET_REASONS;
    for (const { type, reason } of shown) expect(Object.keys(documented[type] ?? {})).to.include(reason);
  });

  it('stays short with very many names', () => {
    const missing = Array.from({ length: 2000 }, (_, index) => ({ ...LOST, secret: `secret-${index}` }));
    const { vault, conditions } = vaultStatus(
      report({ missing, entries: missing.map(({ secret }) => secret) }),
      [],
      PLACE,
    );
    expect([vault.missing.length, vault.entries.length]).to.deep.equal([1024, 1024]);
    expect(conditions[0]?.message).to.match(/; and 1997 more\.$/);
  });

  it('says which entries are in URLs of which Orbs, three at most, and nothing without any', () => {
    const condition = { type: 'SecretInUrl', status: 'True', reason: 'SecretInUrl' };
    const text = 'Proxies and providers may log a URL, so use a header for the secret: KEY of acme.mail@1.0.0';
    expect(inUrlsOf(0)).to.deep.equal([]);
    expect(inUrlsOf(1)).to.deep.equal([{ ...condition, message: `${text}.` }]);
    expect(inUrlsOf(5)).to.deep.equal([
      { ...condition, message: `${text}; KEY of acme.mail@1.0.0; KEY of acme.mail@1.0.0; and 2 more.` },
    ]);
  });
});
