import { access, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { Args } from '../../adapters/process/arguments.ts';
import { watchFolders } from '../../adapters/manifest-folder/watch-folder.ts';
import { SUITE_SUFFIX } from '../../core/suite/suite.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, jsonText, type Format } from '../io/output.ts';
import { findingText } from '../validate/finding-text.ts';
import { originOf } from '../validate/validate.ts';
import { firstSuite } from './first-suite.ts';
import { junitText } from './junit.ts';
import { announcement, resultsText } from './print-test.ts';
import { effectiveEffect } from '../../core/ontology/effective-effect.ts';
import { runTests, whySkipped, type LiveChoice, type TestRun } from './run-tests.ts';
import { readTestedOrb, type ReadOrb, type TestedOrb } from './tested-orb.ts';

function liveTargetName(args: Args): string | undefined {
  const orbiset = args.one('orbiset');
  const namespace = args.one('namespace');
  if (orbiset === undefined) return undefined;
  return namespace === undefined ? orbiset : `${namespace}.${orbiset}`;
}

/** @throws Failure (64) flags that need or exclude each other */
function checkFlags(args: Args): void {
  if (args.has('live') && !args.has('orbiset')) throw usage('--live runs live cases: say where with --orbiset NAME');
  if (args.has('namespace') && !args.has('orbiset')) throw usage('--namespace is that of --orbiset NAME');
  const others = ['orbiset', 'watch', 'report', 'junit'].find((name) => args.has(name));
  if (args.has('init') && others !== undefined) throw usage(`--init runs no case, so it takes no --${others}`);
  if (args.has('init') && args.positionals.length > 1) throw usage('--init takes the manifest alone');
}

async function liveChoice(args: Args, io: Io): Promise<LiveChoice> {
  const orbiset = liveTargetName(args);
  const withEffect = args.has('live');
  if (orbiset === undefined) return { target: undefined, withEffect };
  return { target: { server: await findServer(args, io), orbiset, namespace: args.one('namespace') }, withEffect };
}

/** The report holds outputs and salts: only its owner may read it. */
async function writeFiles(args: Args, { orb }: TestedOrb, { report, results }: TestRun): Promise<void> {
  const [reportFile, junitFile] = [args.one('report'), args.one('junit')];
  if (reportFile !== undefined) await writeFile(reportFile, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  if (junitFile !== undefined) await writeFile(junitFile, junitText(orb.orbId, results));
}

const readOrb = (args: Args, io: Io): Promise<ReadOrb> => {
  const [path = '', ...suites] = args.positionals;
  return readTestedOrb(path, suites, args.all('egress-allow').map(originOf), io);
};

const hasError = ({ findings }: ReadOrb): boolean => findings.some(({ finding }) => finding.severity === 'error');

/** A case that is not required may fail; a required one that is skipped is no negative result. */
const exitOf = (read: ReadOrb, { results }: TestRun): Exit =>
  hasError(read) || results.some(({ required, status }) => required && status === 'failed') ? EXIT.negative : EXIT.ok;

async function testOnce(args: Args, read: ReadOrb, format: Format, io: Io): Promise<Exit> {
  io.err(read.findings.map(findingText).join(''));
  const { orb: tested } = read;
  if (tested === undefined) return EXIT.invalid;
  if (tested.suites.length === 0)
    throw invalid(`${tested.path}: no suite of it is here`, '--init writes a first one beside the manifest');
  const choice = await liveChoice(args, io);
  const effect = effectiveEffect(tested.orb.manifest);
  const hasLive = tested.suites.some(({ cases, defaults }) =>
    cases.some(({ mode = defaults?.mode }) => mode === 'live'),
  );
  if (hasLive && effect !== 'none' && whySkipped(tested, choice) === undefined) io.err(announcement(tested, effect));
  const run = await runTests(tested, choice, io);
  await writeFiles(args, tested, run);
  if (format === 'json' || format === 'yaml') io.out(await dataText(run.report, format));
  else io.out(resultsText(tested, run.results));
  return exitOf(read, run);
}

const stem = (path: string): string => basename(path, extname(path));

/** A suite's name from a file's name: lower-case letters, digits and hyphens. */
const suiteName = (path: string): string =>
  stem(path)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'suite';

async function init(args: Args, io: Io): Promise<Exit> {
  const [path = ''] = args.positionals;
  const file = join(dirname(path), `${stem(path)}${SUITE_SUFFIX}`);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw invalid(`${file}: it exists; it was left as it is`);
  const read = await readOrb(args, io);
  io.err(
    read.findings
      .filter(({ finding }) => finding.severity === 'error')
      .map(findingText)
      .join(''),
  );
  if (read.orb === undefined) return EXIT.invalid;
  await writeFile(file, `${jsonText(firstSuite(read.orb, suiteName(path)))}\n`, { flag: 'wx' });
  io.err(`${file}: written. Replace its values by real ones, then run ${io.program} test ${path}\n`);
  return EXIT.ok;
}

/** Runs the cases again when a file of them changes, until the process is stopped. */
async function watch(args: Args, format: Format, io: Io): Promise<Exit> {
  let before = '';
  let exit: Exit = EXIT.ok;
  const again = async (): Promise<void> => {
    try {
      const read = await readOrb(args, io);
      const now = JSON.stringify([...read.texts]);
      if (now === before) return;
      before = now;
      exit = await testOnce(args, read, format, io);
      io.err('waiting for changes\n');
    } catch (error) {
      // A file that is being written may be missing for a moment: it is reported once, and read again later.
      const text = error instanceof Error ? error.message : String(error);
      if (text === before) return;
      before = text;
      io.err(`orb: ${text}\n`);
    }
  };
  await again();
  const stop = watchFolders([...new Set(args.positionals.map((path) => dirname(path)))], again);
  if (!io.signal.aborted) await new Promise((resolve) => io.signal.addEventListener('abort', resolve, { once: true }));
  await stop();
  return exit;
}

export const testVerb: Verb = {
  usage: 'MANIFEST [SUITE…]',
  count: [1, 65],
  flags: [
    { name: 'orbiset', value: 'NAME', text: 'also run live cases, in this Orbiset' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'its namespace, for keys of several tenants' },
    { name: 'live', text: 'also run live cases of an Orb with an effect: they really happen' },
    { name: 'watch', text: 'run again when a file changes' },
    {
      name: 'report',
      value: 'FILE',
      text: 'write the report here (CTRF JSON); it holds outputs and salts of live cases',
    },
    { name: 'junit', value: 'FILE', text: 'write the results here as JUnit XML' },
    { name: 'init', text: 'write a first suite beside the manifest, and run nothing' },
    { name: 'egress-allow', value: 'ORIGIN', repeats: true, text: 'an origin that Orbs may call, as for npm start' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about:
    'Without SUITE it takes the files *.orbtest.json beside the manifest. Mock cases send nothing. Exit 1: a required case failed, or a suite leaves an output out; 2: manifest or suite is wrong.',
  examples: [
    '{orb} test manifests/echo.yaml',
    '{orb} test manifests/echo.yaml --orbiset default --live --report report.json',
    '{orb} test my-orb.yaml --init',
  ],
  run: async (args, io) => {
    checkFlags(args);
    const format = formatOf(args, ['text', 'json', 'yaml']);
    if (args.has('init')) return init(args, io);
    if (args.has('watch')) return watch(args, format, io);
    return testOnce(args, await readOrb(args, io), format, io);
  },
};
