import { expect } from 'chai';
import { keptOutput } from '../../../../hack/node/kept-output.ts';

describe('keptOutput', () => {
  it('prints nothing before it is shown, then everything in order', () => {
    const printed: unknown[] = [];
    const output = keptOutput((chunk) => printed.push(chunk));
    output.write('one');
    output.write('two');
    expect(printed).to.deep.equal([]);
    output.show();
    output.write('three');
    expect(printed).to.deep.equal(['one', 'two', 'three']);
  });

  it('prints nothing twice', () => {
    const printed: unknown[] = [];
    const output = keptOutput((chunk) => printed.push(chunk));
    output.write('one');
    output.show();
    output.show();
    expect(printed).to.deep.equal(['one']);
  });
});
