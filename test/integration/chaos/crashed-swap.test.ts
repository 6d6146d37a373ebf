import { describeReduced } from '../../support/reduced-chaos.ts';

// Evaluations and holds are as short as they may be, and both runs still wait for 75 s.
describeReduced('a swap and its way back', {
  plans: [['R1', 'a crash while an Orb is swapped and goes back makes neither swap twice', ['W5'], 1]],
});
