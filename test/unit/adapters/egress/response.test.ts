import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  announcedBytes,
  createBodySink,
  framingOf,
  readHeaders,
  type Headers,
  type ReadBody,
} from '../../../../adapters/egress/response.ts';

const CAP = 1024;
const TOO_LARGE = { ok: false, failure: { kind: 'response', code: 'response-too-large' } };
const UNDECODABLE = { ok: false, failure: { kind: 'response', code: 'undecodable' } };

type Encoding = Parameters<typeof createBodySink>[0];

/** Feeds chunks, ends, and gives the one result. */
function read(
  encoding: Encoding,
  chunks: readonly Uint8Array[],
  cap = CAP,
  grow?: (bytes: number) => boolean,
): Promise<ReadBody> {
  return new Promise((resolve) => {
    const sink = createBodySink(encoding, { cap, grow }, resolve);
    for (const chunk of chunks) sink.push(chunk);
    sink.end();
  });
}

const text = (result: ReadBody): string => (result.ok ? Buffer.from(result.body).toString() : result.failure.code);

const ENCODERS: Readonly<Record<string, { readonly as: Encoding; readonly encode: (data: Uint8Array) => Uint8Array }>> =
  {
    identity: { as: 'identity', encode: (data) => data },
    gzip: { as: 'gzip', encode: (data) => gzipSync(data) },
    br: { as: 'br', encode: (data) => brotliCompressSync(data) },
    zstd: { as: 'zstd', encode: (data) => zstdCompressSync(data) },
    deflate: { as: 'deflate', encode: (data) => deflateSync(data) },
    'bare deflate': { as: 'deflate', encode: (data) => deflateRawSync(data) },
  };

const sizes = (chunks: readonly Buffer[]): readonly number[] => chunks.map(({ length }) => length);

describe('announcedBytes', () => {
  it('is what an answer needs beyond 64 KiB, when its length is that of its body', () => {
    const framing = { encoding: 'identity', untilClose: false } as const;
    const needed = [0, 1, 65_536, 65_537, 4_194_304].map((length) => announcedBytes({ ...framing, length }));
    expect(needed).to.deep.equal([0, 0, 0, 1, 4_128_768]);
    expect(announcedBytes({ ...framing, encoding: 'gzip', length: 4_194_304 })).to.equal(0);
  });
});

describe('createBodySink', () => {
  for (const [name, { as, encode }] of Object.entries(ENCODERS)) {
    it(`reads ${name} whatever the chunks`, async () => {
      const data = Buffer.from('{"a":"0123456789 äöü"}'.repeat(20));
      const wire = encode(data);
      const bytes = [...wire].map((_byte, at) => wire.subarray(at, at + 1));
      expect(text(await read(as, [wire]))).to.equal(data.toString());
      expect(text(await read(as, bytes))).to.equal(data.toString());
    });

    it(`reads ${name} of exactly the cap, and refuses one byte more`, async () => {
      const full = Buffer.alloc(CAP, 'a');
      expect(text(await read(as, [encode(full)]))).to.equal(full.toString());
      expect(await read(as, [encode(Buffer.alloc(CAP + 1, 'a'))])).to.deep.equal(TOO_LARGE);
    });

    it(`reads an empty ${name} body that sends no byte`, async () => {
      expect(text(await read(as, []))).to.equal('');
    });
  }

  for (const name of ['gzip', 'br', 'zstd', 'deflate'] as const) {
    it(`refuses ${name} that is cut anywhere`, async () => {
      const wire = ENCODERS[name]?.encode(Buffer.from('some text that is long enough to be cut')) ?? Buffer.alloc(0);
      for (let size = 1; size < wire.byteLength; size += 1) {
        expect(await read(name, [wire.subarray(0, size)]), `${size} bytes`).to.deep.equal(UNDECODABLE);
      }
    });

    it(`refuses text that is no ${name}`, async () => {
      expect(await read(name, [Buffer.from('\u0000 not encoded at all')])).to.deep.equal(UNDECODABLE);
    });
  }

  it('counts bytes on the wire too, when they decode to less', async () => {
    const empty = gzipSync('');
    const members = Array.from({ length: 60 }, () => empty);
    expect(await read('gzip', members)).to.deep.equal(TOO_LARGE);
  });

  for (const encoding of ['identity', 'gzip'] as const) {
    it(`asks for memory for what is beyond 64 KiB, and fails without: ${encoding}`, async () => {
      const plain = Buffer.alloc(200_000, 'x');
      const chunks = encoding === 'gzip' ? [gzipSync(plain)] : [plain.subarray(0, 65_536), plain.subarray(65_536)];
      const asked: number[] = [];
      const given = await read(encoding, chunks, 1_000_000, (bytes) => asked.push(bytes) > 0);
      expect(given.ok && Buffer.from(given.body).equals(plain)).to.equal(true);
      expect(asked.reduce((sum, bytes) => sum + bytes, 0)).to.equal(200_000 - 65_536);
      const refused = await read(encoding, chunks, 1_000_000, () => false);
      expect(refused).to.deep.equal({ ok: false, failure: { kind: 'exhausted', code: 'platform-exhausted' } });
    });
  }

  it('tells a result once, whatever comes after it', async () => {
    const results: ReadBody[] = [];
    const sink = createBodySink('identity', { cap: 2 }, (result) => results.push(result));
    sink.push(Buffer.from('abc'));
    sink.push(Buffer.from('d'));
    sink.end();
    expect(results).to.deep.equal([TOO_LARGE]);
  });

  describe('gives memory back at once', () => {
    const SIZE = 512;
    const parts = (count: number): readonly Buffer[] =>
      Array.from({ length: count }, (_, at) => Buffer.alloc(SIZE, 97 + at));

    it('of the parts of a whole body, but not of the last one: the parser may still have it', async () => {
      const chunks = parts(3);
      const copy = Buffer.concat(chunks).toString();
      expect(text(await read('identity', chunks, 3 * SIZE))).to.equal(copy);
      expect(sizes(chunks)).to.deep.equal([0, 0, SIZE]);
    });

    it('of a body that is dropped, when the parser is done with it', async () => {
      const chunks = parts(2);
      const sink = createBodySink('identity', { cap: CAP }, () => undefined);
      for (const chunk of chunks) sink.push(chunk);
      sink.destroy();
      expect(sizes(chunks)).to.deep.equal([SIZE, SIZE]);
      await nextTurn();
      expect(sizes(chunks)).to.deep.equal([0, 0]);
    });

    it('of a body that is refused, with the part that was too much', async () => {
      const chunks = parts(3);
      const sink = createBodySink('identity', { cap: CAP }, () => sink.destroy());
      for (const chunk of chunks) sink.push(chunk);
      await nextTurn();
      expect(sizes(chunks)).to.deep.equal([0, 0, 0]);
    });

    it('and not of bytes that share it with others', async () => {
      const shared = Buffer.from(new ArrayBuffer(2 * SIZE), 0, SIZE).fill('a');
      const sink = createBodySink('identity', { cap: CAP }, () => undefined);
      sink.push(shared);
      sink.destroy();
      await nextTurn();
      expect(shared.toString()).to.equal('a'.repeat(SIZE));
    });
  });

  it('reports nothing after it is destroyed', async () => {
    const results: ReadBody[] = [];
    const sink = createBodySink('gzip', { cap: CAP }, (result) => results.push(result));
    sink.push(gzipSync('abc').subarray(0, 12));
    sink.destroy();
    sink.end();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    expect(results).to.deep.equal([]);
  });

  it('gives back any bytes that were sent', async () => {
    const body = fc.uint8Array({ maxLength: CAP });
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(...Object.values(ENCODERS)), async (data, { as, encode }) => {
        const result = await read(as, [encode(data)], CAP * 2);
        expect(result.ok && Buffer.from(result.body).equals(Buffer.from(data))).to.equal(true);
      }),
    );
  });
});

const FRAMINGS: readonly (readonly [why: string, headers: Headers, expected: object | null])[] = [
  ['a length', [['content-length', '5']], { encoding: 'identity', length: 5, untilClose: false }],
  ['chunks', [['transfer-encoding', 'Chunked']], { encoding: 'identity', length: 0, untilClose: false }],
  ['neither', [], { encoding: 'identity', length: 0, untilClose: true }],
  [
    'an encoding in upper case',
    [
      ['content-length', '5'],
      ['content-encoding', ' GZIP '],
    ],
    { encoding: 'gzip', length: 5, untilClose: false },
  ],
  ['identity written out', [['content-encoding', 'identity']], { encoding: 'identity', length: 0, untilClose: true }],
  ['a list of encodings', [['content-encoding', 'gzip, br']], null],
  ['a list of one and nothing', [['content-encoding', 'gzip,']], null],
  [
    'two encodings in two headers',
    [
      ['content-encoding', 'gzip'],
      ['content-encoding', 'identity'],
    ],
    null,
  ],
  ['an unknown encoding', [['content-encoding', 'compress']], null],
  ['an empty encoding', [['content-encoding', '']], null],
  ['a name of Object.prototype', [['content-encoding', 'constructor']], null],
  ['an encoded transfer', [['transfer-encoding', 'gzip, chunked']], null],
  [
    'an encoded transfer in two headers',
    [
      ['transfer-encoding', 'gzip'],
      ['transfer-encoding', 'chunked'],
    ],
    null,
  ],
];

describe('framingOf', () => {
  for (const [why, headers, expected] of FRAMINGS) {
    it(`${expected === null ? 'refuses' : 'reads'} ${why}`, () => {
      expect(framingOf(headers)).to.deep.equal(expected);
    });
  }
});

const many = (count: number): Buffer[] => Array.from({ length: count * 2 }, () => Buffer.from('x'));

describe('readHeaders', () => {
  it('keeps order and repeats, with names in lower case and bytes as Latin-1', () => {
    const raw = ['Set-Cookie', 'a', 'X', 'é', 'set-cookie', 'b'].map((part) => Buffer.from(part, 'latin1'));
    expect(readHeaders(raw)).to.deep.equal([
      ['set-cookie', 'a'],
      ['x', 'é'],
      ['set-cookie', 'b'],
    ]);
  });

  it('takes 200 headers and refuses 201', () => {
    expect(readHeaders(many(200))).to.have.length(200);
    expect(readHeaders(many(201))).to.equal(null);
  });

  it('reads no headers from nothing', () => {
    expect(readHeaders(null)).to.deep.equal([]);
  });
});
