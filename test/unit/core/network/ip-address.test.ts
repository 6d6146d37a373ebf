import { isIP } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseIp } from '../../../../core/network/ip-address.ts';

describe('parseIp', () => {
  it('takes exactly the addresses that the runtime takes', () => {
    const nearly = fc.string({ unit: fc.constantFrom(...'0123f:.:'.split('')), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), nearly), (text) => {
        expect(parseIp(text) !== undefined).to.equal(isIP(text) !== 0);
      }),
    );
  });
});
