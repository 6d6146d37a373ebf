import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText, printable, table } from '../io/output.ts';
import { rateText } from '../../core/rate-limit/rate.ts';
import { KEY_PLACE_FLAGS, keyPlace } from './key-place.ts';

const HEAD = ['KEY', 'TENANTS', 'SCOPES', 'EXPIRES', 'STATE', 'CREATED BY'];

function stateOf(record: ApiKeyRecord, now: number): 'active' | 'expired' | 'not yet valid' {
  if (now >= record.expiresAt) return 'expired';
  return now < record.notBefore ? 'not yet valid' : 'active';
}

const tenantsOf = ({ tenants }: ApiKeyRecord): readonly string[] => (tenants === '*' ? ['*'] : tenants);

const rowOf = (record: ApiKeyRecord, now: number): readonly string[] => [
  record.keyId,
  tenantsOf(record).join(','),
  [...record.scopes].join(','),
  new Date(record.expiresAt).toISOString(),
  stateOf(record, now),
  record.createdBy,
];

const valueOf = (record: ApiKeyRecord, now: number): JsonObject => ({
  keyid: record.keyId,
  tenants: [...tenantsOf(record)],
  scopes: [...record.scopes],
  ...(record.orbs === undefined ? {} : { orbs: [...record.orbs] }),
  ...(record.rate === undefined ? {} : { rate: rateText(record.rate) }),
  not_before: new Date(record.notBefore).toISOString(),
  expires_at: new Date(record.expiresAt).toISOString(),
  state: stateOf(record, now),
  created_by: record.createdBy,
});

export const keysListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [...KEY_PLACE_FLAGS, OUTPUT_LIST],
  about: 'Keys are stored as hashes: nothing here can be used as a key.',
  examples: ['{orb} keys list', '{orb} keys list --context production -o name'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const now = io.clock.now();
    const { keys, broken } = await (await keyPlace(args, io)).list();
    for (const { file, detail } of broken) io.err(`${printable(file)} holds no usable key: ${printable(detail)}\n`);
    if (format === 'json' || format === 'yaml')
      io.out(await dataText({ keys: keys.map((key) => valueOf(key, now)) }, format));
    else if (format === 'name') io.out(keys.map(({ keyId }) => `${keyId}\n`).join(''));
    else io.out(table([HEAD, ...keys.map((key) => rowOf(key, now))]));
    return EXIT.ok;
  },
};
