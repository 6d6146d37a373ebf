import { describeReduced } from '../../support/reduced-chaos.ts';

describeReduced('crashes and lost events', {
  plans: [
    ['R1', 'a crash at a write changes neither the end state nor the number of writes', ['W1', 'W4'], 2],
    ['R1', 'nor does a crash at a write about a policy', ['policies'], 1],
    ['R2', 'a restart against a stale API server deletes and re-creates nothing', ['W4'], 1],
    ['R3', 'an event that is dropped, late or merged changes nothing in the end', ['W1', 'W4'], 1],
  ],
});
