import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY } from '../../../../core/failover/policy.ts';
import { RULES } from '../../../../core/failover/types.ts';

const DOC = join(import.meta.dirname, '../../../../docs/provider-failover.md');
/** No row of its own: what a swap becomes that would be one too many. */
const FLAPPING = 'flapping';

/** Names in the first column of the table below a heading. */
function namesBelow(heading: string): readonly string[] {
  const [, section = ''] = readFileSync(DOC, 'utf8').split(`## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, name = '']) => name);
}

describe('POLICY (failover.md §5.3)', () => {
  const inOrder = [...new Set(POLICY.map(({ rule }) => rule))];

  it('has the order of precedence that the documentation says', () => {
    expect(namesBelow('What is decided, in this order')).to.deep.equal([...inOrder, FLAPPING]);
  });

  it('names every rule that an evaluation can answer with', () => {
    expect([...inOrder, FLAPPING].toSorted()).to.deep.equal([...RULES].toSorted());
  });
});
