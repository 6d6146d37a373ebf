import { expect } from 'chai';
import { LineLimit, type LeftOut } from '../../../../adapters/telemetry/line-limit.ts';

const SECOND = 1000;

interface Limited {
  readonly limit: LineLimit;
  readonly reports: LeftOut[];
  readonly advance: (ms: number) => void;
  /** How many of so many lines are written. */
  readonly write: (count: number, message: string, errorText: (number: number) => string) => number;
}

function limited(): Limited {
  let now = 1_800_000_000_000;
  const reports: LeftOut[] = [];
  const limit = new LineLimit({ now: () => now, report: (leftOut) => reports.push(leftOut) });
  const write: Limited['write'] = (count, message, errorText) =>
    Array.from({ length: count }, (_, number) => limit.admits(message, { error: new Error(errorText(number)) })).filter(
      Boolean,
    ).length;
  return { limit, reports, write, advance: (ms) => void (now += ms) };
}

const letters = (number: number): string =>
  String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '');
const full = (): string => 'its disk is full';

describe('LineLimit', () => {
  it('writes three lines of a cause, and says in the next period how many more there were', () => {
    const { limit, reports, write, advance } = limited();
    expect(write(1000, 'a run could not be started', full)).to.equal(3);
    expect([reports, limit.leftOut()]).to.deep.equal([[], 997]);
    advance(10 * SECOND);
    expect(write(2, 'a run could not be started', full)).to.equal(2);
    expect(reports).to.deep.equal([{ message: 'a run could not be started', lines: 997 }]);
    limit.flush();
    expect(reports).to.have.length(1);
  });

  it('takes errors for one cause that differ in ids, times and sizes alone', () => {
    const { write } = limited();
    expect(write(50, 'request failed', (number) => `run_${number}abc took ${number} ms`)).to.equal(3);
    expect(write(1, 'request failed', () => 'another reason')).to.equal(1);
    expect(write(1, 'sweep failed', full)).to.equal(1);
  });

  it('writes every line without an error', () => {
    const { limit } = limited();
    for (let number = 0; number < 100; number += 1) expect(limit.admits('a run ended', { number })).to.equal(true);
    expect([limit.admits('text', undefined), limit.leftOut()]).to.deep.equal([true, 0]);
  });

  it('tells a bounded number of causes apart', () => {
    const { limit, reports, write } = limited();
    expect(write(5000, 'request failed', letters)).to.equal(203);
    limit.flush();
    expect(reports).to.deep.equal([{ message: 'lines of many causes', lines: 4797 }]);
  });
});
