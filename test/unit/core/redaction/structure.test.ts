import { expect } from 'chai';
import { isSensitiveName } from '../../../../core/redaction/structure.ts';

const DROPPED = [
  'Authorization',
  'PROXY-AUTHORIZATION',
  'Cookie',
  'set-cookie',
  'X-Api-Key',
  'x_api_key',
  'api_key',
  'apiKey',
  'X-Auth-Token',
  'X-Access-Token',
  'access_token',
  'refreshToken',
  'id_token',
  'sessionToken',
  'X-Amz-Security-Token',
  'x-goog-api-key',
  'X-Vault-Token',
  'client_secret',
  'privateKey',
  'secret',
  'Password',
  'passwd',
  'passphrase',
  'token',
  'url_token',
  'urlTokens',
  'url',
  'URI',
  'href',
  'request_url',
  'originalUrl',
  'Referer',
  'Location',
];

describe('isSensitiveName', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ...DROPPED.map((name) => [name, true] as const),
    ['orb_id', false],
    ['content-type', false],
    ['tokens_used', false],
    ['', false],
  ];
  for (const [name, expected] of rows) {
    it(`${expected ? 'drops' : 'keeps'} ${name === '' ? 'an empty name' : name}`, () => {
      expect(isSensitiveName(name)).to.equal(expected);
    });
  }
});
