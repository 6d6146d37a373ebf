import { expect } from 'chai';
import type { SoakedLedger } from '../../soak/check-soaked.ts';
import { verdictOf } from '../../soak/verdict.ts';

const sample = (at: number, resident: number, descriptors: number) => ({
  at,
  resident,
  anonymous: resident,
  descriptors,
});
const samples = (change: (minute: number) => readonly [resident: number, descriptors: number]) =>
  Array.from({ length: 96 }, (_, index) => sample(index * 10, ...change(Math.floor(index / 6))));

const LEDGER: SoakedLedger = { acknowledged: 10, lost: 0, runs: 10, open: 0, logSize: 10, faults: [] };
const SOAKED = {
  minutes: 16,
  bound: 16,
  loaded: { requests: 1000, refused: 10, firstRefusal: '503' },
  ledger: LEDGER,
  code: 0,
};
const faultsOf = (change: Parameters<typeof samples>[0], soaked = SOAKED): readonly string[] =>
  verdictOf(samples(change), soaked).faults;

describe('verdictOf: what a soak must show', () => {
  it('passes memory that rose while the process was warming up', () => {
    expect(faultsOf((minute) => [minute < 4 ? 100 + 40 * minute : 260 + (minute % 2), 80])).to.deep.equal([]);
  });

  it('finds memory that rises faster than the bound, and lets a slower rise pass', () => {
    expect(faultsOf((minute) => [200 + minute, 80])).to.deep.equal(['resident memory rises faster than 16 MB an hour']);
    expect(faultsOf((minute) => [200 + minute / 4, 80])).to.deep.equal([]);
  });

  it('finds descriptors that rise, and lets a few more connections pass', () => {
    expect(faultsOf((minute) => [200, 80 + 2 * minute])).to.deep.equal(['descriptors rise: 18.0 more at the end']);
    expect(faultsOf((minute) => [200, 80 + minute / 4])).to.deep.equal([]);
  });

  it('finds what was lost, left open, refused or ended badly', () => {
    const ledger = { ...LEDGER, lost: 1, open: 2, faults: ['a run has two receipts: 1 times'] };
    const loaded = { ...SOAKED.loaded, refused: 11 };
    expect(faultsOf(() => [200, 80], { ...SOAKED, ledger, loaded, code: 1 })).to.deep.equal([
      '1 acknowledged receipts are lost',
      '2 runs were left open',
      '11 of 1000 runs were refused, the first with 503',
      'the platform ended with 1',
      'a run has two receipts: 1 times',
    ]);
  });
});
