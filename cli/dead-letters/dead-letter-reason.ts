import type { Flag } from '../../adapters/process/flag.ts';

export const EXAMPLE_ID = 'dlv_01a20c0a-30b5-7d35-8f4f-7b2d3b4a3b0c';

export const REASON: Flag = {
  name: 'reason',
  value: 'REASON',
  text: 'for this reason',
  values: [
    'bad_json',
    'schema',
    'mapping_error',
    'no_entity',
    'ambiguous_entity',
    'policy_denied',
    'limits',
    'downstream',
  ],
};
