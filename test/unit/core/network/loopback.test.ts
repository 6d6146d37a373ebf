import { expect } from 'chai';
import { isLoopback } from '../../../../core/network/loopback.ts';

describe('isLoopback', () => {
  const rows: readonly (readonly [host: string, expected: boolean])[] = [
    ['127.0.0.1', true],
    ['127.0.0.2', true],
    ['127.255.255.255', true],
    ['126.255.255.255', false],
    ['128.0.0.0', false],
    ['0.0.0.0', false],
    ['127.1', false],
    ['127.0.0.256', false],
    ['::1', true],
    ['[::1]', true],
    ['0:0:0:0:0:0:0:1', true],
    ['0000::0001', true],
    ['::0.0.0.1', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:7f00:2', true],
    ['[::ffff:7f00:1]', true],
    ['::127.0.0.1', false],
    ['::', false],
    ['::2', false],
    ['1::1', false],
    ['::ffff:10.0.0.1', false],
    ['localhost', true],
    ['LocalHost', true],
    ['localhost.example', false],
    ['my-localhost', false],
    ['127.0.0.1.example', false],
    ['', false],
    ['[]', false],
  ];
  for (const [host, expected] of rows)
    it(`says ${expected ? 'yes' : 'no'} to "${host}"`, () => expect(isLoopback(host)).to.equal(expected));
});
