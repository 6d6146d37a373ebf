import { expect } from 'chai';
import { INGEST_CASES } from '../../../fuzz/ingestion/cases.ts';
import { seeded } from '../../../support/seeded.ts';

// The long form: `npm run fuzz -- signatures json form mapping`.
const RUNS = Number(process.env['ORB_PROPERTY_RUNS'] ?? 500);
const SEED = Number(process.env['ORB_SEED'] ?? 20_261_120);
/** Most CPU of one request, µs. */
const MAX_CPU = 50_000;

interface Fuzzed {
  /** Cases that got through: a fuzz of refusals alone would show nothing. */
  readonly passed: number;
  /** Cases that took more CPU than a request may, by their numbers. */
  readonly slow: readonly string[];
}

async function fuzz(take: (typeof INGEST_CASES)['json']): Promise<Fuzzed> {
  const slow: string[] = [];
  let passed = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const random = seeded(SEED + run);
    const began = process.threadCpuUsage();
    if (await take(random)) passed += 1;
    const { user, system } = process.threadCpuUsage(began);
    // The first ones include the compilation of the code.
    if (run >= 100 && user + system > MAX_CPU) slow.push(`${run}: ${user + system} µs`);
  }
  return { passed, slow };
}

describe('whatever a sender sends', function suite() {
  this.timeout(Math.max(20_000, RUNS * 10));

  for (const [name, least] of [
    ['signatures', 0.005],
    ['json', 0.05],
    ['form', 0.1],
    ['mapping', 0.02],
  ] as const)
    it(`as ${name} breaks nothing, forges nothing and holds nobody up (seed ${SEED})`, async () => {
      const { passed, slow } = await fuzz(INGEST_CASES[name]);
      expect(slow).to.deep.equal([]);
      expect(passed).to.be.greaterThan(RUNS * least);
    });
});
