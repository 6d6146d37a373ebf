import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROGRAM = join(import.meta.dirname, '../../../support/outgrow.ts');
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** Megabytes; what a thread that outgrows its limit left behind. */
interface Outgrown {
  readonly code: string;
  readonly mostMb: number;
  /** Limit of the main thread, before and after. */
  readonly main: readonly number[];
}

const isOutgrown = (value: unknown): value is Outgrown =>
  typeof value === 'object' && value !== null && 'code' in value && 'mostMb' in value && 'main' in value;

async function outgrow(flags: readonly string[], args: readonly string[] = []): Promise<Outgrown> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM, ...args]);
  const outgrown: unknown = JSON.parse(stdout);
  if (!isOutgrown(outgrown)) throw new TypeError(stdout);
  return outgrown;
}

describe('the limits of a thread', () => {
  for (const flag of ['--max-old-space-size=700', '--max-old-space-size-percentage=4', '--max-heap-size=700'])
    it(`hold in a process with ${flag}`, async () => {
      const { code, mostMb, main } = await outgrow([flag, '--max-semi-space-size=8'], ['32']);
      expect(code).to.equal(OUT_OF_MEMORY);
      expect(mostMb).to.be.below(200); // a process with such a thread has some 60 before it grows
      expect(main[0]).to.be.above(500);
      expect(main[1]).to.equal(main[0]);
    });

  it('are those of the main thread for a thread without limits of its own', async () => {
    const { code, mostMb } = await outgrow(['--max-old-space-size=300', '--max-semi-space-size=8']);
    expect(code).to.equal(OUT_OF_MEMORY);
    expect(mostMb).to.be.within(300, 500);
  });
});
