import { join } from 'node:path';
import { createApiKey, ApiKeyError, type CreatedApiKey, type NewApiKey } from '../../adapters/api-keys/files.ts';
import { isScope, SCOPES, type Scope } from '../../core/api-key/scopes.ts';
import { nearest } from '../../core/manifest/nearest.ts';
import { parseDuration } from '../args/duration.ts';
import type { Args } from '../args/parse-args.ts';
import { DATA, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';

// What an application needs: to execute, and to show what it executed.
const DEFAULT_SCOPES: readonly Scope[] = ['orbs:execute', 'receipts:read'];

function scopeOf(text: string): Scope {
  if (isScope(text)) return text;
  const meant = nearest(text, SCOPES);
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

const given = (args: Args, flag: string): readonly string[] | undefined =>
  args.has(flag) ? args.all(flag) : undefined;

function wishOf(args: Args, io: Io): NewApiKey {
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
    ...lifeOf(args),
  };
}

async function create(data: string, wish: NewApiKey, io: Io): Promise<CreatedApiKey> {
  try {
    return await createApiKey(join(data, 'api-keys'), wish, { now: io.clock.now(), random: io.random });
  } catch (error) {
    if (error instanceof ApiKeyError) throw invalid(error.message);
    throw error;
  }
}

export const keysCreateVerb: Verb = {
  name: 'keys create',
  summary: 'Makes an API key for npm start and prints it, once.',
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'tenant', value: 'NAME', repeats: true, text: "namespace that the key acts for; '*' is all" },
    { name: 'scope', value: 'SCOPE', repeats: true, text: `what it may do (${DEFAULT_SCOPES.join(' ')})` },
    { name: 'orb', value: 'ORB', repeats: true, text: 'only this Orb: org.name, or org.name@version' },
    { name: 'cidr', value: 'CIDR', repeats: true, text: 'only from these addresses' },
    { name: 'expires', value: 'TIME', text: 'life of the key, at most 365d (90d)' },
    DATA,
  ],
  about: 'Only its hash is stored. A running server takes the key within 2 s.',
  examples: ['{orb} keys create --tenant acme --scope orbs:execute --expires 30d'],
  run: async (args, io) => {
    const { text, record } = await create(args.one('data') ?? '.orb', wishOf(args, io), io);
    io.err(`key ${record.keyId}, valid until ${new Date(record.expiresAt).toISOString()}; it is shown only now:\n`);
    io.out(`${text}\n`);
    return EXIT.ok;
  },
};
