import type { Args } from '../../adapters/process/arguments.ts';
import { parseDuration } from '../../core/time/duration.ts';
import type { Replay, VerifyOptions } from '../../core/verify/verify.ts';
import { usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { readText } from '../io/read-file.ts';
import { readRoot } from '../trust/root-key.ts';
import { readPins } from '../trust/trust-store.ts';
import { withoutLineEnd } from './document.ts';
import type { TrustAnchors } from './trusted-keys.ts';

/** The value of `--max-age`. @throws Failure */
export function maxAgeOf(args: Args): Pick<VerifyOptions, 'maxAgeMs'> {
  const text = args.one('max-age');
  if (text === undefined) return {};
  const maxAgeMs = /^[0-9]{1,10}$/.test(text) ? Number(text) * 1000 : parseDuration(text);
  if (maxAgeMs === undefined) throw usage(`--max-age ${printable(text)}: seconds, or a duration such as 90d`);
  return { maxAgeMs };
}

/** For `--explain`: passed to the verifier, which does not know how swaps are decided; loaded only when it is used. */
export async function replaySwaps(): Promise<Replay> {
  const { replayEvidence } = await import('../../core/failover/replay-evidence.ts');
  return ({ evidence, swap }) => replayEvidence(evidence, swap);
}

/** The roots to trust, by `--root` or the trust store. @throws Failure */
export async function trustAnchorsOf(args: Args, io: Io): Promise<TrustAnchors> {
  const text = args.one('root');
  return text === undefined
    ? { kind: 'pins', pins: await readPins(io) }
    : { kind: 'root', root: await readRoot(text, io) };
}

const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** The status list of `--status-list`, signed. @throws Failure the file can't be read */
export async function statusListOf(args: Args, io: Io): Promise<string | undefined> {
  const file = args.one('status-list');
  return file === undefined ? undefined : withoutLineEnd(await readText(file, MAX_LIST_BYTES, io));
}
