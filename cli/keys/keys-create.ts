import type { NewApiKey } from '../../adapters/api-keys/new-key.ts';
import { isScope, SCOPES, type Scope } from '../../core/api-key/scopes.ts';
import { nearestName } from '../../core/manifest/nearest.ts';
import { parseRateLimit } from '../../core/rate-limit/rate.ts';
import { parseDuration } from '../../core/time/duration.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import { doneFormat, printDone } from '../args/print-done.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { createKeyIn, KEY_PLACE_FLAGS, keyPlace } from './key-place.ts';

// An application needs to execute Orbs, and to show the receipts of its runs.
const DEFAULT_SCOPES: readonly Scope[] = ['orbs:execute', 'receipts:read'];

function scopeOf(text: string): Scope {
  if (isScope(text)) return text;
  const meant = nearestName(text, SCOPES);
  throw usage(
    `--scope ${printable(text)}: there is no such scope${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    `scopes: ${SCOPES.join(' ')}`,
  );
}

function lifeOf(args: Args): { readonly lifeMs?: number } {
  const text = args.one('expires');
  if (text === undefined) return {};
  const lifeMs = parseDuration(text);
  if (lifeMs === undefined) throw usage(`--expires ${printable(text)}: a duration such as 90d or 12h`);
  return { lifeMs };
}

function rateOf(args: Args): { readonly rate?: string } {
  const rate = args.one('rate');
  if (rate === undefined) return {};
  if (parseRateLimit(rate) !== undefined) return { rate };
  throw usage(`--rate ${printable(rate)}: requests a second and at once, such as 100:200, or 0 for no limit`);
}

const given = (args: Args, flag: string): readonly string[] | undefined =>
  args.has(flag) ? args.all(flag) : undefined;

function newKeyOf(args: Args, io: Io): NewApiKey {
  const tenants = args.all('tenant');
  if (tenants.length === 0) throw usage('--tenant NAME is missing: the namespace that the key acts for');
  const scopes = given(args, 'scope')?.map(scopeOf) ?? DEFAULT_SCOPES;
  const orbs = given(args, 'orb');
  const cidrs = given(args, 'cidr');
  const user = (io.env['USER'] ?? '').replace(/[^\x21-\x7e]/g, '');
  return {
    tenants,
    scopes,
    ...(orbs === undefined ? {} : { orbs }),
    ...(cidrs === undefined ? {} : { cidrs }),
    createdBy: user === '' ? 'orb keys create' : `orb keys create by ${user.slice(0, 64)}`,
    ...rateOf(args),
    ...lifeOf(args),
  };
}

export const keysCreateVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'tenant', value: 'NAME', repeats: true, text: "namespace that the key acts for; '*' is all" },
    { name: 'scope', value: 'SCOPE', repeats: true, text: `what it may do (${DEFAULT_SCOPES.join(' ')})` },
    { name: 'orb', value: 'ORB', repeats: true, text: 'only this Orb: org.name, or org.name@version' },
    { name: 'cidr', value: 'CIDR', repeats: true, text: 'only from these addresses' },
    {
      name: 'rate',
      value: 'N[:BURST]',
      text: 'requests a second, and at once, in place of the rate of all keys; 0: no limit',
    },
    { name: 'expires', value: 'TIME', text: 'lifetime of the key, at most 365d (90d)' },
    ...KEY_PLACE_FLAGS,
    OUTPUT,
  ],
  about:
    'Only its hash is stored: in the data folder of npm start, or in a Secret of the platform namespace. A running server\naccepts the key within 2 s.',
  examples: [
    '{orb} keys create --tenant acme --scope orbs:execute --expires 30d',
    '{orb} keys create --tenant acme --context production',
  ],
  run: async (args, io) => {
    const format = doneFormat(args);
    const newKey = newKeyOf(args, io);
    const place = await keyPlace(args, io);
    const { text, record } = await createKeyIn(place, newKey);
    const until = new Date(record.expiresAt).toISOString();
    io.err(`key ${record.keyId} in ${place.name}, valid until ${until}; it is shown only now:\n`);
    const value = { key: text, key_id: record.keyId, valid_until: until, stored_in: place.name };
    await printDone(format, value, `${text}\n`, io);
    return EXIT.ok;
  },
};
