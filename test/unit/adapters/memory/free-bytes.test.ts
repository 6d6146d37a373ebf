import { expect } from 'chai';
import { freeBytes, isWhole } from '../../../../adapters/memory/free-bytes.ts';

describe('freeBytes', () => {
  it('gives the memory of bytes back that nothing else shares', () => {
    const bytes = new Uint8Array(1000);
    freeBytes(bytes);
    expect([bytes.length, bytes.buffer.detached]).to.deep.equal([0, true]);
  });

  it('leaves memory that others see too', () => {
    const memory = new Uint8Array(1000).fill(7);
    const part = memory.subarray(0, 999);
    expect([isWhole(memory), isWhole(part)]).to.deep.equal([true, false]);
    freeBytes(part);
    expect(memory[998]).to.equal(7);
  });

  it('frees nothing twice', () => {
    const bytes = new Uint8Array(10);
    freeBytes(bytes);
    expect(() => freeBytes(bytes)).not.to.throw();
  });
});
