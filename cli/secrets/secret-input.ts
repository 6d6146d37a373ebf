import { hostAllowed } from '../../core/egress/host-binding.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { decode } from '../io/read-file.ts';

const MAX_BYTES = 1024 * 1024;
// Redacting shorter values would also hide unrelated parts of answers (security.md §5).
const REDACTED_FROM_BYTES = 8;

export const REPLACE_HOSTS_FLAG: Flag = {
  name: 'replace-hosts',
  text: 'the hosts named here take the place of those that KEY has; without it they are added',
};

/** A pattern that can match a host: otherwise the secret would silently never be sent. @throws Failure */
function hostOf(text: string): string {
  if (text === '*') return text; // only when written out, never as the rest of another text
  const host = text.toLowerCase().replace(/\.$/, '');
  const example = host.startsWith('*.') ? `x${host.slice(1)}` : host;
  if (!example.includes('*') && hostAllowed(example, [host])) return host;
  throw usage(
    `--host ${printable(text)}: a host such as api.example.com, *.example.com, or '*'; no scheme, port or path`,
  );
}

/** Hosts that the secret may be sent to. @throws Failure no host is named */
export function hostsOf(args: Args): readonly string[] {
  const hosts = args.all('host').map(hostOf);
  if (hosts.length === 0) throw usage('--host HOST is missing: a secret is sent only to the hosts that it is bound to');
  return [...new Set(hosts)];
}

/** Editors and `echo` add a line end that is not part of the secret (security.md §4.1). */
function withoutLineEnd(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) !== 0x0a) return bytes;
  return bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1);
}

function warn(value: Uint8Array, io: Io): void {
  const text = decode(value, 'the value');
  if (/[\p{Cc}]/u.test(text)) io.err('the value has control characters: it can not be sent in a header\n');
  if (value.length < REDACTED_FROM_BYTES)
    io.err(`the value is shorter than ${REDACTED_FROM_BYTES} bytes: it can not be redacted from answers\n`);
}

/** The value, from standard input; a terminal does not show it. @throws Failure it is empty or not UTF-8 */
export async function readValue(name: string, io: Io): Promise<Uint8Array> {
  const { input } = io;
  const typed = input.isTerminal
    ? await input.readHidden(`value of ${name} (not shown): `)
    : await input.read(MAX_BYTES);
  const value = withoutLineEnd(typed);
  if (value.length === 0) throw invalid('standard input holds no value');
  if (value.length < typed.length) io.err('one trailing newline was removed\n');
  warn(value, io);
  return value;
}
