import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { ResponseMemory } from '../../../../adapters/egress/port.ts';
import { briefResult, dial, firstThen, ORIGIN, provided, answersWith, settled } from '../../../support/dialing.ts';
import { answer, aRequest, enoughMemory, someLimits, type Script } from '../../../support/egress.ts';

const headerLines = (count: number, size: number): readonly string[] =>
  Array.from({ length: count }, (_line, at) => `x-${at}: ${'v'.repeat(size)}`);

const ANSWERS: readonly (readonly [why: string, script: Script, expected: string])[] = [
  ['takes a body of its length', answersWith(answer('hello')), '200 hello'],
  ['takes a body without bytes', answersWith(answer('', [], '202 Accepted')), '202 '],
  ['takes a 204', answersWith('HTTP/1.1 204 No Content\r\n\r\n'), '204 '],
  [
    'takes chunks',
    answersWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'),
    '200 abcde',
  ],
  ['takes an error status with its body', answersWith(answer('no', [], '503 Service Unavailable')), '503 no'],
  ['takes a 3xx as the answer', answersWith(answer('', ['location: /x'], '302 Found')), '302 '],
  [
    'ignores answers below 200',
    answersWith(Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'), answer('hello')])),
    '200 hello',
  ],
  [
    'takes a body that the end of the connection ends in HTTP/1.0',
    answersWith('HTTP/1.0 200 OK\r\n\r\nhello', true),
    '200 hello',
  ],
  [
    'refuses a body that only the end of the connection ends in HTTP/1.1',
    answersWith('HTTP/1.1 200 OK\r\n\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses a body shorter than its length',
    answersWith('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses a cut chunk',
    answersWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses chunks without the last one',
    answersWith('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses two lengths',
    answersWith('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!'),
    'transport protocol sent=true status=null',
  ],
  [
    'refuses a length beside chunks',
    answersWith('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    'transport protocol sent=true status=null',
  ],
  ['refuses what is no HTTP', answersWith('SSH-2.0-OpenSSH_9.9\r\n'), 'transport protocol sent=true status=null'],
  [
    'refuses a connection that ends before the answer',
    (socket) => socket.end(),
    'transport reset sent=true status=null',
  ],
  [
    'refuses a connection that ends within the head',
    answersWith('HTTP/1.1 200 OK\r\nx: ', true),
    'transport reset sent=true status=null',
  ],
  [
    'refuses an upgrade that nobody asked for',
    answersWith('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'transport reset sent=true status=null',
  ],
  ['takes 199 headers', answersWith(answer('ok', headerLines(199, 1))), '200 ok'],
  [
    'refuses 1500 headers below 16 KiB',
    answersWith(answer('ok', headerLines(1500, 1))),
    'response headers-too-large sent=true status=200',
  ],
  [
    'refuses 20 KB of headers',
    answersWith(answer('ok', headerLines(20, 1000))),
    'response headers-too-large sent=true status=null',
  ],
  ['decodes gzip', answersWith(answer(gzipSync('hello'), ['content-encoding: gzip'])), '200 hello'],
  ['decodes br', answersWith(answer(brotliCompressSync('hello'), ['content-encoding: br'])), '200 hello'],
  ['decodes zstd', answersWith(answer(zstdCompressSync('hello'), ['content-encoding: zstd'])), '200 hello'],
  ['decodes deflate', answersWith(answer(deflateSync('hello'), ['content-encoding: deflate'])), '200 hello'],
  [
    'refuses an unknown encoding',
    answersWith(answer('hello', ['content-encoding: compress'])),
    'response unsupported-encoding sent=true status=200',
  ],
  [
    'refuses a list of encodings',
    answersWith(answer('hello', ['content-encoding: gzip, gzip'])),
    'response unsupported-encoding sent=true status=200',
  ],
  [
    'refuses an encoding that is none',
    answersWith(answer('hello', ['content-encoding: gzip'])),
    'response undecodable sent=true status=200',
  ],
  [
    'refuses an encoded body that is cut, with its length right',
    answersWith(answer(gzipSync('hello').subarray(0, 15), ['content-encoding: gzip'])),
    'response undecodable sent=true status=200',
  ],
  [
    'refuses an announced length above the cap',
    answersWith('HTTP/1.1 200 OK\r\ncontent-length: 1048577\r\n\r\n'),
    'response response-too-large sent=true status=200',
  ],
  [
    'refuses chunks above the cap',
    answersWith(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n100001\r\n${'x'.repeat(0x100001)}\r\n0\r\n\r\n`),
    'response response-too-large sent=true status=200',
  ],
  [
    'refuses a decoded body above the cap',
    answersWith(answer(gzipSync(Buffer.alloc(1_048_577)), ['content-encoding: gzip'])),
    'response response-too-large sent=true status=200',
  ],
];

describe('an answer', () => {
  for (const [why, script, expected] of ANSWERS) {
    it(why, async () => {
      await provided(script, async (dialer) => {
        expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal(expected);
      });
    });
  }

  it('keeps its headers in wire order, names in lower case, repeats included', async () => {
    await provided(answersWith(answer('', ['X-B: 1', 'x-a: 2', 'X-b: 3'])), async (dialer) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`));
      expect(result.kind === 'answered' && result.headers).to.deep.equal([
        ['content-length', '0'],
        ['x-b', '1'],
        ['x-a', '2'],
        ['x-b', '3'],
      ]);
    });
  });

  it('to HEAD has no body, whatever length and encoding it announces', async () => {
    await provided(
      answersWith('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\ncontent-encoding: x\r\n\r\n'),
      async (dialer) => {
        expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`, { method: 'HEAD' })))).to.equal('200 ');
      },
    );
  });

  it('is never larger than 4 MiB, whatever the limit says', async () => {
    await provided(answersWith(`HTTP/1.1 200 OK\r\ncontent-length: ${4 * 1_048_576 + 1}\r\n\r\n`), async (dialer) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ maxResponseBytes: 99_999_999 }));
      expect(briefResult(result)).to.equal('response response-too-large sent=true status=200');
    });
  });

  it('of 4 MiB arrive whole, many at once, and the connection serves the next request', async () => {
    const body = Buffer.alloc(4 * 1_048_576, 'The answer is read in pieces. ').toString('latin1');
    const large = answersWith(answer(body));
    const limits = someLimits({ maxResponseBytes: body.length, bodyIdleMs: 5000 });
    await provided(large, async (dialer, server) => {
      const results = await Promise.all(Array.from({ length: 6 }, () => dial(dialer, aRequest(`${ORIGIN}/`), limits)));
      results.push(await dial(dialer, aRequest(`${ORIGIN}/`), limits));
      const isWhole = results.map((result) => briefResult(result) === `200 ${body}`);
      expect(isWhole).to.deep.equal(Array.from({ length: 7 }, () => true));
      expect(server.connections()).to.equal(6);
    });
  });

  it('may announce as many bytes as the limit, and no byte more', async () => {
    await provided(answersWith(answer('12345')), async (dialer) => {
      const ofLimit = (maxResponseBytes: number): Promise<string> =>
        dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ maxResponseBytes })).then(briefResult);
      expect(await ofLimit(5)).to.equal('200 12345');
      expect(await ofLimit(4)).to.equal('response response-too-large sent=true status=200');
    });
  });

  it('after a refused one comes over another connection', async () => {
    const script = firstThen(answersWith(answer('ok', ['content-encoding: x'])), answersWith(answer('ok')));
    await provided(script, async (dialer, server) => {
      await dial(dialer, aRequest(`${ORIGIN}/`));
      expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('200 ok');
      expect(server.connections()).to.equal(2);
    });
  });
});

describe('a large answer without memory for it', () => {
  const BYTES = 1_048_576;

  it('waits for it, however late its provider seems meanwhile, and its connection is used again', async () => {
    const script = firstThen(answersWith(answer('x'.repeat(BYTES))), answersWith(answer('ok')));
    await provided(script, async (dialer, server) => {
      const waiting = Promise.withResolvers<() => void>();
      const memory: ResponseMemory = {
        ...enoughMemory,
        hold: () => false,
        wait: (_bytes, granted) => {
          waiting.resolve(granted);
          return () => undefined;
        },
      };
      let isOver = false;
      const dialling = dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ memory, bodyIdleMs: 50 }));
      void dialling.then(() => (isOver = true));
      const grant = await waiting.promise;
      await delay(200);
      expect(isOver).to.equal(false);
      grant();
      const result = await dialling;
      expect(result.kind === 'answered' && result.body.length).to.equal(BYTES);
      await settled();
      expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('200 ok');
      expect(server.connections()).to.equal(1);
    });
  });
});
