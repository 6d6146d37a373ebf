import { expect } from 'chai';
import fc from 'fast-check';
import { traceparentOf } from '../../../../api-server/http/trace.ts';

const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(bytes);
const OWN = '0808080808080808';
const NEW = `00-${'10'.repeat(16)}-${OWN}-00`;
const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('traceparentOf', () => {
  const rows: [string, string | undefined, string][] = [
    ['no header: a new trace', undefined, NEW],
    ['a valid one: same trace, own parent', `00-${ID}-${PARENT}-01`, `00-${ID}-${OWN}-01`],
    ['not sampled', `00-${ID}-${PARENT}-00`, `00-${ID}-${OWN}-00`],
    ['unknown flags: only sampled is kept', `00-${ID}-${PARENT}-ff`, `00-${ID}-${OWN}-01`],
    ['a later version with more fields', `01-${ID}-${PARENT}-01-more`, `00-${ID}-${OWN}-01`],
    ['version 00 with more fields', `00-${ID}-${PARENT}-01-more`, NEW],
    ['version ff', `ff-${ID}-${PARENT}-01`, NEW],
    ['upper case', `00-${ID.toUpperCase()}-${PARENT}-01`, NEW],
    ['a zero trace id', `00-${'0'.repeat(32)}-${PARENT}-01`, NEW],
    ['a zero parent id', `00-${ID}-${'0'.repeat(16)}-01`, NEW],
    ['a short trace id', `00-${ID.slice(1)}-${PARENT}-01`, NEW],
    ['two values joined', `00-${ID}-${PARENT}-01, 00-${ID}-${PARENT}-01`, NEW],
    ['a line break behind', `00-${ID}-${PARENT}-01\n`, NEW],
  ];
  for (const [why, header, expected] of rows) {
    it(why, () => expect(traceparentOf(header, random)).to.equal(expected));
  }

  it('is always a valid version 00 header', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(traceparentOf(header, random)).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
      }),
    );
  });
});
