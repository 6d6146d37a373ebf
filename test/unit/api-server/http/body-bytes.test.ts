import { expect } from 'chai';
import fc from 'fast-check';
import { BodyBytes } from '../../../../api-server/http/body-bytes.ts';

describe('BodyBytes', () => {
  it('gives the chunks in order, whatever their sizes, and says what it holds', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 40 }), (chunks) => {
        const whole = Buffer.concat(chunks);
        const body = new BodyBytes(whole.length);
        let held = 0;
        for (const chunk of chunks) held += body.add(Buffer.from(chunk));
        expect(Buffer.from(body.whole()).equals(whole)).to.equal(true);
        expect(body.size).to.equal(whole.length);
        expect(held).to.be.within(whole.length, 2 * whole.length + 1);
      }),
    );
  });

  it('does not copy a body of one chunk', () => {
    const chunk = Buffer.from('whole');
    const body = new BodyBytes(5);
    expect(body.add(chunk)).to.equal(5);
    expect(body.whole()).to.equal(chunk);
  });

  it('holds twice of what came at the most, though much more was declared', () => {
    const body = new BodyBytes(1_048_576);
    expect(body.add(Buffer.from('a')) + body.add(Buffer.from('b'))).to.equal(2);
  });

  it('holds a body of single bytes in one piece', () => {
    const body = new BodyBytes(1000);
    let held = 0;
    for (let at = 0; at < 1000; at += 1) held += body.add(Buffer.from('x'));
    expect([held, body.whole().length]).to.deep.equal([1000, 1000]);
  });
});
