import { parseVerbArgs } from '../../cli/args/parse-args.ts';
import { verifyLines, type Threading } from '../../cli/verify-lines/verify-lines.ts';
import { verifyVerb } from '../../cli/verify/verify.ts';
import { bundleCases, keysJws, receiptJws, rootJwk } from './verify-cases.ts';
import { ioOf, type CliResult } from './cli-io.ts';
import vectors from '../vectors/receipt.json' with { type: 'json' };

/** Every bundle and receipt of the test vectors, valid or not, each as one line; a receipt with a line feed inside is no line. */
export const vectorLines: readonly string[] = [
  ...bundleCases.map(({ bundle }) => bundle),
  ...vectors.jws_cases.map(({ jws }) => jws),
  ...vectors.sign_cases.flatMap(({ expected }) => ('jws' in expected ? [expected.jws] : [])),
].filter((text) => !text.includes('\n'));

/** A valid bundle and a valid receipt. */
export const validLines = [bundleCases[0]?.bundle ?? '', receiptJws] as const;

/** Runs `orb verify - --lines` as it is used from some number of lines on. @param argv more flags */
export async function runLines(
  lines: Uint8Array | string,
  argv: readonly string[],
  threading: Threading,
): Promise<CliResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const io = ioOf({ stdin: lines, out: (text) => void out.push(text), err: (text) => void err.push(text) });
  const args = parseVerbArgs(verifyVerb, ['-', '--lines', '--root', rootJwk, ...argv]);
  const exit = await verifyLines('-', args, io, threading);
  return { exit, out: out.join(''), err: err.join('') };
}

/** A file with the keys document of the vectors. */
export const keysFileText = JSON.stringify({ jws: keysJws });
