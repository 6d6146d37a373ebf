import { expect } from 'chai';
import { flagMeaning, flagName, flagTable } from '../../../../adapters/process/help.ts';

describe('flagTable', () => {
  it('has a row for each flag, with its short name, its value and its default', () => {
    const rows = flagTable([
      { name: 'output', short: 'o', value: 'FORMAT', text: 'json or yaml', fallback: 'json' },
      { name: 'host', value: 'HOST', text: 'a host', repeats: true },
      { name: 'secret', inline: 'NAME', text: 'a Secret', otherwise: 'none' },
      { name: 'keep', text: 'keeps' },
    ]);
    expect(rows).to.equal(
      [
        '  -o, --output FORMAT  json or yaml (json)',
        '      --host HOST      a host (may be repeated)',
        '      --secret[=NAME]  a Secret (none)',
        '      --keep           keeps',
        '',
      ].join('\n'),
    );
  });

  it('breaks lines at 120 characters, and puts a long name on a line of its own', () => {
    const rows = flagTable([
      { name: 'a', text: 'word '.repeat(40).trim() },
      { name: 'a-name-that-is-much-longer-than-all-the-others', text: 'meaning' },
    ]).split('\n');
    expect(Math.max(...rows.map(({ length }) => length))).to.be.at.most(120);
    expect(rows.slice(-3)).to.deep.equal([
      '      --a-name-that-is-much-longer-than-all-the-others',
      '           meaning',
      '',
    ]);
  });
});

describe('flagName and flagMeaning', () => {
  it('are what documentation shows', () => {
    const flag = { name: 'level', short: 'l', value: 'LEVEL', text: 'how much', fallback: 'info' };
    expect([flagName(flag), flagMeaning(flag)]).to.deep.equal(['-l, --level LEVEL', 'how much (info)']);
  });
});
