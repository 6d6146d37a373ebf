import { expect } from 'chai';
import { handedOver } from '../../../../../adapters/ledger/sqlite/handed-over.ts';
import type { WriteRow } from '../../../../../adapters/ledger/tables/tables.ts';

const accept = (raw: Uint8Array): WriteRow => [
  'acceptDelivery',
  'dlv_1',
  'acme',
  'acme/am',
  'key',
  0,
  1,
  '{}',
  raw,
  1,
  1,
];
const apply = (...effects: readonly Uint8Array[]): WriteRow => ['applyDeliveries', 'ingest-worker', 1, effects];

const large = (): Uint8Array<ArrayBuffer> => new Uint8Array(16_384);

describe('memory that the thread of the ledger takes over', () => {
  it('is that of large bodies and effects', () => {
    const [body, first, second] = [large(), large(), large()];
    expect(handedOver([accept(body), apply(first, second)])).to.deep.equal([body.buffer, first.buffer, second.buffer]);
  });

  it('is named once when a row has it twice, because a message may name it once', () => {
    const effects = large();
    expect(handedOver([apply(effects, effects)])).to.deep.equal([effects.buffer]);
  });

  it('is never memory that others share, nor a few bytes, nor that of other rows', () => {
    const shared = new Uint8Array(new ArrayBuffer(40_000), 0, 20_000);
    const rows = [accept(shared), accept(new Uint8Array(16_383)), apply(), ['checkpoint'] as const];
    expect(handedOver(rows)).to.deep.equal([]);
  });
});
