import { expect } from 'chai';
import { ORB_STATUSES } from '../../../../core/log-entry/entry-members.ts';
import { mayChangeStatus } from '../../../../core/publication/status-transition.ts';

/** Every change that is allowed, as `from to by`. */
const allowed = (isAdmin: boolean, before: (typeof ORB_STATUSES)[number]): readonly string[] =>
  ORB_STATUSES.flatMap((from) =>
    ORB_STATUSES.filter((to) => mayChangeStatus(from, to, isAdmin, before)).map((to) => `${from} ${to}`),
  );

const BY_PUBLISHER = ['active deprecated', 'active yanked', 'deprecated active', 'deprecated yanked'];
const SUSPENDED = ['active suspended', 'deprecated suspended', 'yanked suspended'];

describe('mayChangeStatus', () => {
  it('lets a publisher deprecate, restore and yank, and nothing else', () => {
    for (const before of ORB_STATUSES) expect(allowed(false, before)).to.have.members(BY_PUBLISHER);
  });

  it('lets the platform also suspend, and give back the status before', () => {
    for (const before of ['active', 'deprecated', 'yanked'] as const)
      expect(allowed(true, before)).to.have.members([...BY_PUBLISHER, ...SUSPENDED, `suspended ${before}`]);
  });

  it('never changes a status to itself', () => {
    for (const before of ['active', 'deprecated', 'yanked'] as const)
      for (const status of ORB_STATUSES) expect(mayChangeStatus(status, status, true, before)).to.equal(false);
  });
});
