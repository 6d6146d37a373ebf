import { expect } from 'chai';
import { ceilingOf, draw, withUnit, type Line } from '../../../../hack/dashboard/draw.ts';
import { legendOf } from '../../../../hack/dashboard/panel-lines.ts';

const SPAN = { from: 1000, to: 1100, step: 10 };
const lineOf = (legend: string, ...values: readonly number[]): Line => ({
  legend,
  points: values.map((value, index) => [SPAN.from + index * SPAN.step, value]),
});
const nameOf = (instance: string): string => `the ${instance}`;
const one = (...lines: readonly Line[]): string => draw([{ title: 'A', unit: 's', lines }], SPAN);

describe('withUnit', () => {
  const rows: readonly (readonly [number, string, string])[] = [
    [0.0421, 's', '42.1 ms'],
    [90, 's', '90 s'],
    [3 * 1024 * 1024, 'bytes', '3 MiB'],
    [0.125, 'percentunit', '12.5 %'],
    [8.004, 'reqps', '8/s'],
    [365, 'd', '365 d'],
    [1234567, 'short', '1230000'],
  ];
  for (const [value, unit, text] of rows)
    it(`writes ${value} in ${unit} as ${text}`, () => {
      expect(withUnit(value, unit)).to.equal(text);
    });
});

describe('ceilingOf', () => {
  const rows: readonly (readonly [string, readonly Line[], number])[] = [
    ['without lines', [], 1],
    ['with zeros', [lineOf('a', 0, 0)], 1],
    ['with the largest of all lines', [lineOf('a', 3), lineOf('b', 7.1)], 10],
    ['with a round number itself', [lineOf('a', 0.25)], 0.25],
  ];
  for (const [why, lines, expected] of rows)
    it(`is ${expected} ${why}`, () => {
      expect(ceilingOf(lines)).to.be.closeTo(expected, 1e-9);
    });
});

describe('draw', () => {
  it('makes the same text of the same data', () => {
    expect(one(lineOf('a', 1, 2))).to.equal(one(lineOf('a', 1, 2)));
  });

  it('breaks the line where samples are missing', () => {
    const points = [1000, 1010, 1050].map((seconds) => [seconds, 1] as const);
    expect(one({ legend: 'a', points })).to.match(/d="M62 34L110 34M302 34"/);
  });

  it('says where there are no data', () => {
    expect(one()).to.include('no data');
    expect(one(lineOf('a', 1))).to.not.include('no data');
  });

  it('lets no label write into the picture', () => {
    expect(one(lineOf('<b>&"', 1)))
      .to.include('&lt;b&gt;&amp;&quot;')
      .and.not.include('<b>');
  });

  it('names eight lines at most, and says how many more there are', () => {
    const lines = Array.from({ length: 12 }, (_, index) => lineOf(`line ${index}`, index));
    expect(one(...lines))
      .to.include('line 6')
      .and.include('and 5 more')
      .and.not.include('line 7<');
  });

  it('puts two panels beside each other', () => {
    const panel = { title: 'A', unit: 's', lines: [] };
    const picture = draw([panel, panel, panel], SPAN);
    expect([...picture.matchAll(/translate\(([^)]+)\)/g)].map(([, place]) => place)).to.deep.equal([
      '0 0',
      '560 0',
      '0 250',
    ]);
  });
});

describe('legendOf', () => {
  it('fills in labels, names processes, and leaves out what there is not', () => {
    const labels = { provider: 'alpha', instance: 'x:1' };
    expect(legendOf('{{provider}} {{instance}} {{nothing}}', { labels }, { nameOf })).to.equal('alpha the x:1');
  });
});
