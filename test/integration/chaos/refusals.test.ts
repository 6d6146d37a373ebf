import { describeReduced } from '../../support/reduced-chaos.ts';

describeReduced('watches, refusals and a killed API server', {
  plans: [
    ['R4', 'a fault of a watch changes nothing in the end', ['W1', 'W4'], 1],
    ['R5', 'refused requests lose and double no write', ['W1'], 2],
    ['R6', 'compaction and a killed API server change nothing in the end', ['W4'], 1],
  ],
});
