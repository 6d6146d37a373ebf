import { expect } from 'chai';
import { axisOf } from '../../../../hack/dashboard/draw-lines.ts';
import { draw, type DrawnPanel, type Line } from '../../../../hack/dashboard/draw.ts';
import { withUnit } from '../../../../hack/dashboard/texts.ts';
import { legendOf } from '../../../../hack/dashboard/panel-lines.ts';

const SPAN = { from: 1000, to: 1100, step: 10 };
const lineOf = (legend: string, ...values: readonly number[]): Line => ({
  legend,
  points: values.map((value, index) => [SPAN.from + index * SPAN.step, value]),
});
const nameOf = (instance: string): string => `the ${instance}`;
const LOOKS = {
  texts: { '1': { text: 'leads', colour: 'green' } },
  steps: [
    { from: Number.NEGATIVE_INFINITY, colour: 'green' },
    { from: 5, colour: 'red' },
  ],
};
const panelOf = (type: string, ...lines: readonly Line[]): DrawnPanel => ({
  type,
  title: 'A',
  unit: 's',
  looks: LOOKS,
  marks: [],
  lines,
});
const one = (...lines: readonly Line[]): string => draw([panelOf('timeseries', ...lines)], SPAN);

describe('withUnit', () => {
  const rows: readonly (readonly [number, string, string])[] = [
    [0.0421, 's', '42.1 ms'],
    [90, 's', '90 s'],
    [3 * 1024 * 1024, 'bytes', '3 MiB'],
    [0.125, 'percentunit', '12.5 %'],
    [8.004, 'reqps', '8/s'],
    [365, 'd', '365 d'],
    [1234567, 'short', '1\u202f234\u202f567'],
    [60, 's', '1 min'],
    [240, 's', '4 min'],
    [10_800, 's', '3 h'],
  ];
  for (const [value, unit, text] of rows)
    it(`writes ${value} in ${unit} as ${text}`, () => {
      expect(withUnit(value, unit)).to.equal(text);
    });
});

describe('axisOf', () => {
  const MEBI = 1024 * 1024;
  const rows: readonly (readonly [string, readonly Line[], string, { ceiling: number; rows: number }])[] = [
    ['without lines', [], 's', { ceiling: 1, rows: 1 }],
    ['with zeros', [lineOf('a', 0, 0)], 's', { ceiling: 1, rows: 1 }],
    ['with the largest of all lines', [lineOf('a', 3), lineOf('b', 7.1)], 'reqps', { ceiling: 8, rows: 4 }],
    ['with a round number itself', [lineOf('a', 0.25)], 's', { ceiling: 0.25, rows: 5 }],
    ['with things that are counted', [lineOf('a', 2)], 'short', { ceiling: 2, rows: 2 }],
    ['with minutes', [lineOf('a', 290)], 's', { ceiling: 300, rows: 5 }],
    ['with MiB', [lineOf('a', 90 * MEBI)], 'bytes', { ceiling: 100 * MEBI, rows: 5 }],
  ];
  for (const [why, lines, unit, expected] of rows)
    it(`ends at ${expected.ceiling} ${why}`, () => {
      expect(axisOf(lines, unit)).to.deep.equal(expected);
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

  it('leaves out a panel without data', () => {
    expect(one()).to.not.include('class="t"');
    expect(one(lineOf('a', 1))).to.include('class="t"');
  });

  it('writes the last value of a stat in the colour of its threshold', () => {
    expect(draw([panelOf('stat', lineOf('a', 1, 7))], SPAN)).to.include('style="fill:#d1242f">7 s<');
    expect(draw([panelOf('stat', lineOf('a', 7, 1))], SPAN)).to.include('style="fill:#1a7f37">leads<');
  });

  it('draws a band for each state of a line, as long as it lasts', () => {
    const picture = draw([panelOf('state-timeline', lineOf('a', 1, 1, 1, 1, 1, 8, 8, 8, 8, 8))], SPAN);
    expect([...picture.matchAll(/width="181" height="34" fill="([^"]+)"/g)].map(([, fill]) => fill)).to.deep.equal([
      '#1a7f37',
      '#d1242f',
    ]);
  });

  it('marks a swap', () => {
    const picture = draw([{ ...panelOf('timeseries', lineOf('a', 1)), marks: [1050] }], SPAN);
    expect(picture).to.include('<path class="m" d="M302 34V164"/>');
  });

  it('refuses a type that it has no form for', () => {
    expect(() => draw([panelOf('heatmap', lineOf('a', 1))], SPAN)).to.throw("the type heatmap can't be drawn");
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
    const panel = panelOf('timeseries', lineOf('a', 1));
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
