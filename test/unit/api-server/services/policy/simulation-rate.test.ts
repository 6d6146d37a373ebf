import { expect } from 'chai';
import { SimulationRate, STORED_WORK } from '../../../../../api-server/services/policy/simulation-rate.ts';
import { aCaller } from '../../../../support/api-app.ts';

/** Simulations that pass at once. */
function passed(bytes: number): number {
  const rate = new SimulationRate({ monotonic: () => 0 });
  const request = { requestId: 'req_1', caller: aCaller(), body: Buffer.alloc(bytes) };
  let count = 0;
  while (count < 100 && rate.refusal(request) === undefined) count += 1;
  return count;
}

describe('the rate of simulations', () => {
  it('counts a long body as several: compiling it takes that long', () => {
    expect([0, 8192, 8193, 262_144, 10_000_000].map(passed)).to.deep.equal([60, 60, 30, 1, 1]);
  });

  it('counts work whose size the body does not say as several', () => {
    const rate = new SimulationRate({ monotonic: () => 0 }, 'write policies or read their coverage');
    const request = { requestId: 'req_1', caller: aCaller(), body: Buffer.alloc(2) };
    const answers = Array.from({ length: 8 }, () => rate.refusal(request, STORED_WORK)?.status);
    expect(answers).to.deep.equal([...Array.from({ length: 7 }, () => undefined), 429]);
  });

  it('says when the same request may come again', () => {
    const rate = new SimulationRate({ monotonic: () => 0 });
    const request = { requestId: 'req_1', caller: aCaller(), body: Buffer.alloc(262_144) };
    rate.refusal(request);
    const refused = rate.refusal(request);
    expect([refused?.status, refused?.headers['retry-after']]).to.deep.equal([429, '4']);
  });
});
