import { expect } from 'chai';
import fc from 'fast-check';
import { BodyBytes } from '../../../../api-server/http/body-bytes.ts';

const chunksOf = (): readonly Buffer[] => [1, 2].map((fill) => Buffer.alloc(5000, fill));

describe('BodyBytes', () => {
  it('gives the chunks in order, whatever their sizes, and says what it holds', () => {
    const sizes = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 4000, max: 9000 })), { maxLength: 40 });
    fc.assert(
      fc.property(sizes, (lengths) => {
        const chunks = lengths.map((length, at) => Buffer.alloc(length, at));
        const whole = Buffer.concat(chunks);
        const body = new BodyBytes();
        let held = 0;
        for (const chunk of chunks) held += body.add(chunk);
        expect(Buffer.from(body.whole()).equals(whole)).to.equal(true);
        expect(body.size).to.equal(whole.length);
        expect(held).to.be.within(whole.length, 2 * whole.length + 1024);
      }),
    );
  });

  it('splits a chunk that does not fit, so that no room is left half empty', () => {
    const chunks = [4000, 1, 4001, 4002].map((length, at) => Buffer.alloc(length, at));
    const whole = Buffer.concat(chunks);
    const body = new BodyBytes();
    expect(chunks.map((chunk) => body.add(chunk))).to.deep.equal([4000, 4001, 8002, 0]);
    expect(Buffer.from(body.whole()).equals(whole)).to.equal(true);
  });

  it('does not copy a body of one chunk', () => {
    const chunk = Buffer.from('whole');
    const body = new BodyBytes();
    expect(body.add(chunk)).to.equal(5);
    expect(body.whole()).to.equal(chunk);
  });

  it('gives the memory of chunks back when they are put together, and when they are dropped', () => {
    for (const [end, length] of [
      ['whole', 10_000],
      ['free', undefined],
    ] as const) {
      const [body, chunks] = [new BodyBytes(), chunksOf()];
      for (const chunk of chunks) body.add(chunk);
      expect(body[end]()?.length).to.equal(length);
      expect(chunks.map((chunk) => chunk.length)).to.deep.equal([0, 0]);
    }
  });

  it('is empty without a chunk', () => expect(new BodyBytes().whole().length).to.equal(0));

  it('holds single bytes in pieces of 64 KiB at the most, and no object for each', () => {
    const body = new BodyBytes();
    const held: number[] = [];
    for (let at = 0; at < 1_000_000; at += 1) {
      const more = body.add(Buffer.of(at & 255));
      if (more > 0) held.push(more);
    }
    expect(held.length).to.be.lessThan(30);
    expect(Math.max(...held)).to.equal(65_536);
    expect(body.whole()[999_999]).to.equal(999_999 & 255);
  });
});
