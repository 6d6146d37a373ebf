import { expect } from 'chai';
import { upgradeLine } from '../../../../api-server/process/upgrade-line.ts';

describe('the line of an upgrade of the ledger', () => {
  it('says what is done, and how far it is where that is known', () => {
    const lines = [
      upgradeLine({ work: 'runs' }),
      upgradeLine({ work: 'log', done: 100, total: 250 }),
      upgradeLine({ work: 'usage', done: 7 }),
    ];
    for (const [text] of lines) expect(text).to.match(/^an older ledger is brought up to date: /);
    expect(new Set(lines.map(([text]) => text)).size).to.equal(3);
    expect(lines.map(([, fields]) => fields)).to.deep.equal([{}, { entries: 100, of: 250 }, { rows: 7 }]);
  });
});
