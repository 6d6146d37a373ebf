import { deletion } from '../../chaos/operator/deletion.ts';
import { idle } from '../../chaos/operator/idle.ts';
import { mutation } from '../../chaos/operator/mutation.ts';
import { describeReduced } from '../../support/reduced-chaos.ts';

describeReduced('states', {
  procedures: [
    ['R10', 'the state depends on the spec, not on the way to it', mutation],
    ['R11', 'deletion leaves nothing', deletion],
    ['idle', 'without input nothing is written', idle],
  ],
});
