import type { JsonObject } from '../../core/json/json-value.ts';
import { fetchReply } from '../api/answer.ts';
import type { ApiRequest } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { parseDuration } from '../../core/time/duration.ts';
import { formatOf } from '../args/format.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';
import { printSwap } from './print-swap.ts';
import { NAMESPACE, providerPath } from './provider-path.ts';

const MAX_WAIT_MS = 10_000;
// The longest wait, the metrics query and the write, plus some time for the network.
const TIMEOUT_MS = 30_000;

const FLAGS: readonly Flag[] = [
  { name: 'reason', value: 'TEXT', text: 'reason, shown in the status and in the receipt' },
  { name: 'expires-in', value: 'DURATION', text: 'lifetime of the pin, at most 168h (24h)' },
  {
    name: 'mode',
    value: 'MODE',
    text: 'soft: ends when the provider fails (default); hard: stays whatever happens; once: a swap without a pin',
    values: ['soft', 'hard', 'once'],
  },
  { name: 'expected-active', value: 'PROVIDER', text: 'refuse when another provider is active' },
  { name: 'force', text: 'swap even to a provider that is known to fail' },
  { name: 'dry-run', text: 'check everything and change nothing' },
  { name: 'wait', value: 'DURATION', text: 'wait until the API uses the provider, 0 to 10s (2s)' },
];

function waitOf(args: Args): number | undefined {
  const text = args.one('wait');
  if (text === undefined) return undefined;
  const ms = text === '0' ? 0 : parseDuration(text);
  if (ms !== undefined && ms <= MAX_WAIT_MS) return ms;
  throw usage(`--wait ${printable(text)}: 0, or a duration up to 10s`);
}

function bodyOf(args: Args): JsonObject {
  const given: Readonly<Record<string, string | number | boolean | undefined>> = {
    provider: args.positionals[1],
    reason: args.one('reason'),
    expires_in: args.one('expires-in'),
    mode: args.one('mode'),
    expected_active: args.one('expected-active'),
    force: args.has('force') ? true : undefined,
    dry_run: args.has('dry-run') ? true : undefined,
    wait_ms: waitOf(args),
  };
  const members: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(given)) if (value !== undefined) members[name] = value;
  return members;
}

export const swapVerb: Verb = {
  usage: 'ORB_ID PROVIDER',
  completes: 'orb',
  count: [2, 2],
  flags: [...FLAGS, NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'Works without the operator and without Prometheus. The pin ends when it expires, or by `orb pin remove`.',
  examples: [
    '{orb} swap acme.mailer@1.2.0 mailgun --reason maintenance --expires-in 2h',
    '{orb} swap acme.mailer@1.2.0 mailgun --dry-run',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const request: ApiRequest = {
      method: 'POST',
      path: providerPath(args, 'swap'),
      headers: { accept: 'application/json' },
      body: JSON.stringify(bodyOf(args)),
      timeoutMs: TIMEOUT_MS,
    };
    const server = await findServer(args, io);
    const reply = await fetchReply(server, request, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    await printSwap(reply.value, format, io);
    return EXIT.ok;
  },
};
