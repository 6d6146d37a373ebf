import { expect } from 'chai';
import { readBody } from '../../../../core/run/response-body.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('readBody', () => {
  const rows: readonly [string, Uint8Array, string | undefined, unknown][] = [
    ['JSON', bytes('{"a":1}'), 'application/json; charset=utf-8', { a: 1 }],
    ['+json', bytes('[1]'), 'application/problem+json', [1]],
    ['text', bytes('hi'), 'text/plain', 'hi'],
    ['XML as text', bytes('<a/>'), 'application/soap+xml', '<a/>'],
    ['JSON without a type', bytes('{"a":1}'), undefined, { a: 1 }],
    ['text without a type', bytes('hello'), undefined, 'hello'],
    ['an empty JSON body as absent', bytes(''), 'application/json', undefined],
    ['binary as absent', Uint8Array.of(1, 2), 'image/png', undefined],
    ['bytes without a type as absent', Uint8Array.of(0xff, 0xfe), undefined, undefined],
    [
      'an integer that a double can not hold as absent',
      bytes('{"a":12345678901234567890,"b":1}'),
      'application/json',
      { b: 1 },
    ],
    [
      'a long digit string as it is',
      bytes('{"a":"12345678901234567890"}'),
      'application/json',
      { a: '12345678901234567890' },
    ],
  ];
  for (const [why, body, type, expected] of rows) {
    it(`reads ${why}`, () => expect(readBody(body, type)).to.deep.equal({ ok: true, body: expected }));
  }

  const refused: readonly [string, Uint8Array, string, string, string?][] = [
    ['JSON that ends too early', bytes('{"a":'), 'application/json', 'broken-json', 'at its end'],
    ['JSON with a fault in it', bytes('{"a":1,}'), 'application/json', 'broken-json', 'at character 7'],
    ['JSON with an escaped name that is broken', bytes('{"\\u005f_proto__":1,}'), 'application/json', 'broken-json'],
    ['JSON that is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'application/json', 'not-text'],
    ['text that is not UTF-8', Uint8Array.of(0xff), 'text/plain', 'not-text'],
    ['UTF-16 under the name of text', Uint8Array.of(0x61, 0, 0x62, 0), 'text/plain; charset=utf-16le', 'not-text'],
  ];
  for (const [why, body, type, fault, place] of refused) {
    it(`refuses ${why}`, () => {
      const at = place === undefined ? {} : { at: place };
      expect(readBody(body, type)).to.deep.equal({ ok: false, fault, ...at });
    });
  }
});
