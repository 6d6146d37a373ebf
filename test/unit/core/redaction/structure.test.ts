import { expect } from 'chai';
import { isSensitiveName } from '../../../../core/redaction/structure.ts';

describe('isSensitiveName', () => {
  const rows: readonly (readonly [string, boolean])[] = [
    ['Authorization', true],
    ['PROXY-AUTHORIZATION', true],
    ['set-cookie', true],
    ['X-Api-Key', true],
    ['x_api_key', true],
    ['urlTokens', true],
    ['request_url', true],
    ['client_secret', true],
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
