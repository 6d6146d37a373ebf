import { expect } from 'chai';
import fc from 'fast-check';
import { ByteBudget, type ByteAccount } from '../../../../adapters/http/byte-budget.ts';

type Reason = 'full' | 'key' | 'address';

interface Rig {
  readonly budget: ByteBudget<Reason>;
  readonly open: (name: string, key: string, address: string) => ByteAccount;
  /** Accounts that were cut, with the bound. */
  readonly cut: string[];
}

function rig(limitBytes: number, perKey: number, perAddress: number): Rig {
  const budget = new ByteBudget<Reason>(limitBytes, 'full');
  const cut: string[] = [];
  const open: Rig['open'] = (name, key, address) =>
    budget.open(
      [
        { name: `key ${key}`, limitBytes: perKey, reason: 'key' },
        { name: `address ${address}`, limitBytes: perAddress, reason: 'address' },
      ],
      (reason) => void cut.push(`${name} ${reason}`),
    );
  return { budget, open, cut };
}

describe('ByteBudget', () => {
  it('cuts the account that goes beyond the bound of its key, and keeps the others', () => {
    const { budget, open, cut } = rig(0, 100, 0);
    const [one, two] = [open('one', 'k', 'a'), open('two', 'k', 'b')];
    expect([one.grow(60), two.grow(40), two.grow(1), one.grow(40)]).to.deep.equal([true, true, false, true]);
    expect([cut, budget.bytes]).to.deep.equal([['two key'], 100]);
  });

  it('cuts the account that goes beyond the bound of its address', () => {
    const { open, cut } = rig(0, 0, 100);
    expect([open('one', 'k', 'a').grow(60), open('two', 'l', 'a').grow(60)]).to.deep.equal([true, false]);
    expect(cut).to.deep.equal(['two address']);
  });

  it('cuts the oldest of the holder with most when all together are too many', () => {
    const { budget, open, cut } = rig(100, 0, 0);
    open('small', 'k', 'a').grow(30);
    open('large', 'l', 'b').grow(40);
    open('second', 'l', 'b').grow(20);
    expect(open('new', 'm', 'c').grow(25)).to.equal(true);
    expect([cut, budget.bytes]).to.deep.equal([['large full'], 75]);
  });

  it('cuts the account itself when it has most', () => {
    const { budget, open, cut } = rig(100, 0, 0);
    expect(open('huge', 'k', 'a').grow(101)).to.equal(false);
    expect([cut, budget.bytes]).to.deep.equal([['huge full'], 0]);
  });

  it('counts an account no longer when it is closed, once', () => {
    const { budget, open, cut } = rig(0, 100, 100);
    const one = open('one', 'k', 'a');
    one.grow(100);
    one.close();
    one.close();
    expect(one.grow(1)).to.equal(false);
    expect(open('two', 'k', 'a').grow(100)).to.equal(true);
    expect([cut, budget.bytes]).to.deep.equal([[], 100]);
  });

  it('never holds more than its bounds, and forgets everybody who holds nothing', () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 3 }),
      bytes: fc.integer({ min: 0, max: 60 }),
      close: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { budget, open } = rig(200, 100, 150);
        const accounts: ByteAccount[] = [];
        for (const { key, bytes, close } of steps) {
          const account = open('any', String(key), String(key % 2));
          account.grow(bytes);
          accounts.push(account);
          if (close) accounts.shift()?.close();
          expect(budget.bytes).to.be.within(0, 200);
        }
        for (const account of accounts) account.close();
        expect(budget.bytes).to.equal(0);
      }),
    );
  });
});
