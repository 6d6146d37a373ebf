import { expect } from 'chai';
import fc from 'fast-check';
import { isoTime } from '../../../../core/time/iso-time.ts';

const NOW = Date.parse('2026-11-27T23:05:11.000Z');
const LAST_MS = 8.64e15;

describe('isoTime', () => {
  it('writes every millisecond of a second', () => {
    for (let ms = 0; ms < 1000; ms += 1) expect(isoTime(NOW + ms)).to.equal(new Date(NOW + ms).toISOString());
  });

  it('writes the same as a Date, whatever time it wrote before', () => {
    const near = fc.integer({ min: NOW - 3000, max: NOW + 3000 });
    const any = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -5000, max: 5000 }), fc.double({ noNaN: true }), near);
    fc.assert(
      fc.property(fc.array(any), (times) => {
        for (const ms of times) {
          if (Math.abs(ms) > LAST_MS) expect(() => isoTime(ms)).to.throw(RangeError);
          else expect(isoTime(ms)).to.equal(new Date(ms).toISOString());
        }
      }),
    );
  });

  it('refuses what is no time, also just beyond the last one', () => {
    expect(isoTime(LAST_MS)).to.equal('+275760-09-13T00:00:00.000Z');
    for (const ms of [LAST_MS + 1, Number.NaN, Infinity]) expect(() => isoTime(ms)).to.throw(RangeError);
  });
});
