import { expect } from 'chai';
import { lineOf, orgOf } from '../../../../core/reputation/line.ts';

describe('lineOf', () => {
  const rows: readonly (readonly [orbId: string, line: string])[] = [
    ['acme.echo@1.2.0', 'acme.echo@1'],
    ['acme.echo@1.2.0-rc.1', 'acme.echo@1'],
    ['acme.echo@10.0.0', 'acme.echo@10'],
    ['acme.echo@0.3.1', 'acme.echo@0.3'],
    ['acme.echo@0.0.0', 'acme.echo@0.0'],
    ['acme.mail.send@2.0.0', 'acme.mail.send@2'],
  ];
  for (const [orbId, line] of rows) it(`of ${orbId} is ${line}`, () => expect(lineOf(orbId)).to.equal(line));
});

describe('orgOf', () => {
  it('is the first label', () => expect(orgOf('acme.mail.send@2.0.0')).to.equal('acme'));
});
