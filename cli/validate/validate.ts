import type { Finding } from '../../core/manifest/finding.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, usage, type Exit } from '../io/failure.ts';
import { dataText, printable } from '../io/output.ts';
import { checkPaths, findingValue } from './check-files.ts';
import { allowedOriginsOf, EGRESS_FLAGS } from './egress-flags.ts';
import { count, findingText } from './finding-text.ts';

/** An origin of `--egress-allow`. @throws Failure */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text || !['http:', 'https:'].includes(url.protocol)) {
    throw usage(`--egress-allow ${printable(text)}: an origin such as http://127.0.0.1:9000, without a path`);
  }
  return text;
}

/** Codes of files that could not be read. */
const UNREADABLE: readonly string[] = ['file-unreadable', 'file-too-large', 'file-empty', 'not-utf8'];

function exitOf(findings: readonly Finding[]): Exit {
  if (findings.some(({ code }) => UNREADABLE.includes(code))) return EXIT.invalid;
  return findings.some(({ severity }) => severity === 'error') ? EXIT.negative : EXIT.ok;
}

export const validateVerb: Verb = {
  usage: 'FILE|FOLDER…',
  count: [1, 10_000],
  flags: [
    ...EGRESS_FLAGS,
    { name: 'publish', text: 'also checks what publishing asks for: terms, capabilities and effect' },
    OUTPUT,
  ],
  about: `Finds what the platform finds when it reads the folder, before it does: all of it in one pass, two files with
one Orb too. Folders inside a folder are not read. - is standard input.

Exit 1: something has an error; 2: a file could not be read.`,
  examples: ['{orb} validate manifests/', '{orb} validate --publish manifests/echo.yaml'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const options = { allowedOrigins: await allowedOriginsOf(args), publish: args.has('publish') };
    const { files, found } = await checkPaths(args.positionals, options, io);
    if (format === 'json' || format === 'yaml')
      io.out(await dataText({ files, findings: found.map((one) => findingValue(one, options)) }, format));
    else io.out(found.map(findingText).join(''));
    const errors = found.filter(({ finding }) => finding.severity === 'error').length;
    io.err(`${count(files, 'file')}, ${count(errors, 'error')}, ${count(found.length - errors, 'remark')}\n`);
    return exitOf(found.map(({ finding }) => finding));
  },
};
