import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';

const ORB = 'example.echo@1.0.0';
const LONG = 'n'.repeat(200_000);
// Clears a screen, turns text around, ends a line.
const HOSTILE = '\u001b[2J\u202e\u2028';
const UNPRINTABLE = /[\p{Cc}\p{Cf}\u2028\u2029\ud800-\udfff]/u;
/** An answer to a body of one wrong member never needs more. */
const MOST_BYTES = 4096;

describe('names of members that a stranger chooses (security.md S26)', () => {
  let data: string;
  let running: Standalone;
  before(async () => {
    data = temporaryFolder();
    running = await startStandalone({ data });
  });
  after(async () => {
    await running.stop();
    rmSync(data, { recursive: true, force: true });
  });

  const rows: readonly (readonly [what: string, path: string, body: object])[] = [
    ['a long member of a run', '/orbisets/default/execute', { orb_id: ORB, [LONG]: 1 }],
    ['a long input', '/orbisets/default/execute', { orb_id: ORB, inputs: { text: 'a', [LONG]: 1 } }],
    ['a hostile member of a run', '/orbisets/default/execute', { orb_id: ORB, [HOSTILE]: 1 }],
    ['a hostile input', '/orbisets/default/execute', { orb_id: ORB, inputs: { text: 'a', [HOSTILE]: 1 } }],
    ['a long member of a swap', `/providers/${ORB}/swap`, { [LONG]: 1 }],
    ['a hostile member of a policy', '/policies', { [HOSTILE]: 1 }],
  ];
  for (const [what, path, body] of rows)
    it(`are cut and made printable in the answer to ${what}`, async () => {
      const answer = await running.post(path, body);
      const text = await answer.text();
      expect(answer.status, text.slice(0, 300)).to.be.within(400, 422);
      expect(text.length).to.be.lessThan(MOST_BYTES);
      const decoded = JSON.stringify(JSON.parse(text)).replaceAll(/\\u[0-9a-f]{4}/g, (escape) =>
        String.fromCharCode(Number.parseInt(escape.slice(2), 16)),
      );
      expect(UNPRINTABLE.test(decoded)).to.equal(false);
    });
});
