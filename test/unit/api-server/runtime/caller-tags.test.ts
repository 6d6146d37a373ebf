import { expect } from 'chai';
import { CallerTags } from '../../../../api-server/runtime/caller-tags.ts';

const counting = (): { readonly tags: CallerTags; readonly computed: string[] } => {
  const computed: string[] = [];
  const compute = (tenant: string, iso: string): string => {
    computed.push(`${tenant} ${iso.slice(0, 7)}`);
    return `ct_${tenant}_${iso.slice(0, 7)}`;
  };
  return { tags: new CallerTags(compute), computed };
};

describe('CallerTags (trust.md §1.1)', () => {
  it('computes a tag once for each tenant and month', () => {
    const { tags, computed } = counting();
    const november = Date.parse('2026-11-30T23:59:59.999Z');
    const given = [
      tags.of('a', november),
      tags.of('a', november - 1),
      tags.of('a', november + 1),
      tags.of('b', november),
    ];
    expect(given).to.deep.equal(['ct_a_2026-11', 'ct_a_2026-11', 'ct_a_2026-12', 'ct_b_2026-11']);
    expect(computed).to.deep.equal(['a 2026-11', 'a 2026-12', 'b 2026-11']);
  });

  it('keeps no more than some thousand of them', () => {
    const { tags, computed } = counting();
    for (let tenant = 0; tenant < 10_002; tenant += 1) tags.of(`t${tenant}`, 0);
    tags.of('t0', 0);
    expect(computed.filter((key) => key === 't0 1970-01')).to.have.lengthOf(2);
  });
});
