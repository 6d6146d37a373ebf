import { expect } from 'chai';
import { readSecrets } from '../../../../api-server/ingestion/read-secrets.ts';
import { SecretValues } from '../../../../api-server/vault/secret-values.ts';
import type { BoundSecret } from '../../../../api-server/vault/secret-watch.ts';
import type { VerificationScheme } from '../../../../core/ingestion/verification/scheme.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const found = (data: Readonly<Record<string, string>>): BoundSecret => ({
  kind: 'found',
  version: '1',
  values: new SecretValues(Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)]))),
});
const BEARER: VerificationScheme = { kind: 'bearer' };
const TWO = [
  { name: 'hook', key: 'current' },
  { name: 'hook', key: 'previous' },
];

describe('the secrets of a source', () => {
  it('are its values in their order, without a newline at the end', () => {
    const { secrets, unusable } = readSecrets({ secretRefs: TWO, scheme: BEARER }, () =>
      found({ previous: 'old', current: 'new\n' }),
    );
    const texts = secrets.kind === 'readable' ? secrets.values.map((value) => Buffer.from(value).toString()) : [];
    expect([texts, unusable]).to.deep.equal([['new', 'old'], undefined]);
  });

  it('are copies: what a rotation overwrites is no key of anybody', () => {
    const stored = found({ current: 'new', previous: 'old' });
    const { secrets } = readSecrets({ secretRefs: TWO, scheme: BEARER }, () => stored);
    if (stored.kind === 'found') stored.values.retire();
    const [first] = secrets.kind === 'readable' ? secrets.values : [];
    expect(Buffer.from(first ?? []).toString()).to.equal('new');
  });

  const STANDARD: VerificationScheme = { kind: 'standardWebhooks' };
  const rows: readonly (readonly [string, BoundSecret, VerificationScheme, string])[] = [
    ['forbidden', { kind: 'forbidden' }, BEARER, 'forbidden current'],
    ['not there', { kind: 'not-found' }, BEARER, 'not-found current'],
    ['not read yet', { kind: 'unread' }, BEARER, 'unread current'],
    ['without one key', found({ current: 'x' }), BEARER, 'key-missing previous'],
    ['empty', found({ current: '', previous: 'x' }), BEARER, 'empty current'],
    ['a newline alone', found({ current: 'x', previous: '\r\n' }), BEARER, 'empty previous'],
    ['no key of the scheme', found({ current: 'whsec_c2hvcnQ=', previous: 'x' }), STANDARD, 'malformed current'],
  ];
  for (const [why, secret, scheme, wanted] of rows)
    it(`are none at all when a Secret is ${why}`, () => {
      const { secrets, unusable } = readSecrets({ secretRefs: TWO, scheme }, () => secret);
      expect(secrets.kind).to.equal('unreadable');
      expect(`${unusable?.fault} ${unusable?.key}`).to.equal(wanted);
      expect(unusable?.secret).to.equal('hook');
    });
});
