import { failoverOfLeaders } from '../../chaos/operator/failover-of-leaders.ts';
import { swapsOfLeaders } from '../../chaos/operator/swaps-of-leaders.ts';
import { describeReduced } from '../../support/reduced-chaos.ts';

describeReduced('leaders', {
  procedures: [
    [
      'R7',
      'a leader that dies, freezes or is cut off is replaced, and does nothing when it comes back',
      failoverOfLeaders,
    ],
    ['R7', 'a leader that stands still with a swap on its way swaps nothing twice', swapsOfLeaders],
  ],
});
