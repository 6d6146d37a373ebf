import { expect } from 'chai';
import { MOCKS, judged, live, receipt, RECEIPT, report, type Given } from '../../../support/test-reports.ts';
import { aSuite, liveCase, mockCase } from '../../../support/suites.ts';

const provenance = async (given: Given): Promise<unknown> => {
  const { ok, report: read } = await judged(given);
  expect(ok).to.equal(true);
  return read?.provenance;
};

describe('provenance', () => {
  const optional = [aSuite({ cases: [mockCase(), mockCase({ id: 'down' }), liveCase({ required: false })] })];

  it('is self-reported without a required live case', async () => {
    expect(await provenance({ suites: optional, report: report([...MOCKS, live()], optional) })).to.equal(
      'self_reported',
    );
  });

  it('is self-reported when a required live case cites no receipt', async () => {
    const { receiptId: _, openings: __, ...claimed } = live();
    expect(await provenance({ report: report([...MOCKS, claimed]) })).to.equal('self_reported');
  });

  it('is that of the platform when it ran every required live case again', async () => {
    expect(await provenance({ rerun: new Set(['echo/live']) })).to.equal('platform');
  });

  it('is receipted when a receipt is of the publisher, whoever owned the Orb when it ran', async () => {
    for (const facts of [
      { self: false, own: true },
      { self: true, own: false },
    ])
      expect(await provenance({ receipts: { [RECEIPT]: receipt(facts) } })).to.equal('receipted');
  });

  it('is independent when the caller of every receipt is somebody else', async () => {
    expect(await provenance({ receipts: { [RECEIPT]: receipt({ self: false, own: false }) } })).to.equal('independent');
  });
});
