import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import * as shapes from '../../../../core/json/shape.ts';

const pair = shapes.closed({ a: shapes.integer(0, 9), b: shapes.nullable(shapes.text(3)) });

const ZERO = `sha256:${'0'.repeat(64)}`;

describe('shapes', () => {
  const rows: readonly (readonly [why: string, shape: shapes.Shape, value: JsonValue, expected: boolean])[] = [
    ['a closed object takes its members in any order', pair, { b: null, a: 1 }, true],
    ['a closed object refuses another member', pair, { a: 1, b: null, c: 1 }, false],
    ['a closed object refuses a missing member', pair, { a: 1 }, false],
    ['a closed object refuses another in place of a missing one', pair, { a: 1, c: null }, false],
    ['a closed object takes nothing from the prototype', shapes.closed({ toString: () => true }), { x: 1 }, false],
    ['a closed object is no array', shapes.closed({}), [], false],
    ['a closed object is not null', shapes.closed({}), null, false],
    ['a list may be empty', shapes.listOf(shapes.boolean, 2), [], true],
    ['a list takes as many as it says', shapes.listOf(shapes.boolean, 2), [true, false], true],
    ['a list takes no more', shapes.listOf(shapes.boolean, 2), [true, false, true], false],
    ['a list checks each element', shapes.listOf(shapes.boolean, 2), [true, 1], false],
    ['a list is no object', shapes.listOf(shapes.boolean, 2), { length: 0 }, false],
    ['one of several values is compared without conversion', shapes.oneOf('1', 2), 1, false],
    ['an integer may be the least', shapes.integer(1, 3), 1, true],
    ['an integer may be the most', shapes.integer(1, 3), 3, true],
    ['an integer is not below the least', shapes.integer(1, 3), 0, false],
    ['an integer is not above the most', shapes.integer(1, 3), 4, false],
    ['an integer has no fraction', shapes.integer(1, 3), 1.5, false],
    ['an integer is no text', shapes.integer(1, 3), '2', false],
    ['a text is not empty', shapes.text(3), '', false],
    ['a text may be as long as it says', shapes.text(3), 'abc', true],
    ['a text is not longer', shapes.text(3), 'abcd', false],
    ['a boolean is no number', shapes.boolean, 0, false],
    ['null is not null where it is not said', shapes.text(3), null, false],
    ['a time is to the millisecond, in UTC', shapes.time, '2026-11-20T10:00:00.250Z', true],
    ['a time has its milliseconds', shapes.time, '2026-11-20T10:00:00Z', false],
    ['a time has no offset', shapes.time, '2026-11-20T10:00:00.250+00:00', false],
    ['a time is of a day that exists', shapes.time, '2026-02-29T10:00:00.250Z', false],
    ['a leap day is one', shapes.time, '2028-02-29T10:00:00.250Z', true],
    ['a time has no leap second', shapes.time, '2026-12-31T23:59:60.000Z', false],
    ['a time has no hour 24', shapes.time, '2026-12-31T24:00:00.000Z', false],
    ['a time is one line', shapes.time, '2026-11-20T10:00:00.250Z\n', false],
    ['a digest is lower-case hexadecimal', shapes.digest, ZERO, true],
    ['a digest is not upper-case', shapes.digest, ZERO.replace('0', 'A'), false],
    ['a digest has 64 digits', shapes.digest, `${ZERO}0`, false],
    ['an origin may have a port', shapes.httpsOrigin, 'https://orbs.example:8443', true],
    ['an origin has no path', shapes.httpsOrigin, 'https://orbs.example/', false],
    ['an origin is https', shapes.httpsOrigin, 'http://orbs.example', false],
    ['an origin has no user', shapes.httpsOrigin, 'https://me@orbs.example', false],
    ['an origin is lower-case', shapes.httpsOrigin, 'https://Orbs.example', false],
  ];
  for (const [why, shape, value, expected] of rows) it(why, () => expect(shape(value)).to.equal(expected));

  it('take every time that a clock of the years 0 to 9999 writes', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(fc.property(dates, (date) => void expect(shapes.time(date.toISOString())).to.equal(true)));
  });
});
