import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable } from '../io/output.ts';
import { readText } from '../io/read-file.ts';
import { checkText, findingValue, type CheckOptions } from './check-text.ts';
import { count, findingText, type FileFinding } from './finding-text.ts';
import { manifestFiles, type ManifestFile } from './manifest-files.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/** An origin of `--egress-allow`. @throws Failure */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== text || !['http:', 'https:'].includes(url.protocol)) {
    throw usage(`--egress-allow ${printable(text)}: an origin such as http://127.0.0.1:9000, without a path`);
  }
  return text;
}

async function checkFile(file: ManifestFile, options: CheckOptions, io: Io): Promise<readonly FileFinding[]> {
  const { documents, findings } = checkText(await readText(file.path, MAX_BYTES, io), file.format, options);
  if (documents === 0) throw invalid(`${file.path}: it holds no document`);
  return findings.map((finding) => ({ file: file.path, finding }));
}

async function checkAll(
  paths: readonly string[],
  options: CheckOptions,
  io: Io,
): Promise<{ readonly files: number; readonly found: readonly FileFinding[] }> {
  const files: ManifestFile[] = [];
  for (const path of paths) files.push(...(await manifestFiles(path)));
  const found: FileFinding[] = [];
  for (const file of files) found.push(...(await checkFile(file, options, io)));
  return { files: files.length, found };
}

export const validateVerb: Verb = {
  usage: 'FILE|FOLDER…',
  count: [1, 10_000],
  flags: [
    { name: 'egress-allow', value: 'ORIGIN', repeats: true, text: 'an origin that Orbs may call, as for npm start' },
    { name: 'publish', text: 'also checks what publishing asks for: terms, capabilities and effect' },
    OUTPUT,
  ],
  about: 'Exit 1: something has an error; 2: a file could not be read. - is standard input.',
  examples: ['{orb} validate manifests/', '{orb} validate --publish manifests/echo.yaml'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const options = { allowedOrigins: args.all('egress-allow').map(originOf), publish: args.has('publish') };
    const { files, found } = await checkAll(args.positionals, options, io);
    if (format === 'json' || format === 'yaml')
      io.out(
        await dataText(
          { files, findings: found.map(({ file, finding }) => findingValue(file, finding, options)) },
          format,
        ),
      );
    else io.out(found.map(findingText).join(''));
    const errors = found.filter(({ finding }) => finding.severity === 'error').length;
    io.err(`${count(files, 'file')}, ${count(errors, 'error')}, ${count(found.length - errors, 'remark')}\n`);
    return errors > 0 ? EXIT.negative : EXIT.ok;
  },
};
