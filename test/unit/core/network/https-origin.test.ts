import { expect } from 'chai';
import { isHttpsOrigin } from '../../../../core/network/https-origin.ts';

describe('isHttpsOrigin', () => {
  const rows: readonly (readonly [text: string, expected: boolean])[] = [
    ['https://orbs.example', true],
    ['https://orbs.example:8443', true],
    ['https://[::1]:8443', true],
    ['https://orbs.example:443', false],
    ['https://orbs.example/', false],
    ['https://Orbs.example', false],
    ['https://me@orbs.example', false],
    ['http://orbs.example', false],
    ['orbs.example', false],
    ['', false],
  ];
  for (const [text, expected] of rows)
    it(`${expected ? 'takes' : 'refuses'} "${text}"`, () => {
      expect(isHttpsOrigin(text)).to.equal(expected);
    });
});
