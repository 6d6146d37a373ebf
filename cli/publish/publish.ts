import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, objectAt } from '../../core/json/members.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { checkOntology } from '../../core/ontology/check-ontology.ts';
import { fetchReply, type Reply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import type { Server } from '../api/http.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt, type Format } from '../io/output.ts';
import { announcement, resultsText } from '../test/print-test.ts';
import { effectiveEffect } from '../../core/ontology/effective-effect.ts';
import { runTests, whySkipped, type TestRun } from '../test/run-tests.ts';
import { readTestedOrb, type TestedOrb } from '../test/tested-orb.ts';
import { findingText } from '../validate/finding-text.ts';
import { originOf } from '../validate/validate.ts';

const TIMEOUT_MS = 60_000;

/** Findings of the ontology, which only publishing needs. @returns whether one of them is an error */
function ontologyRefuses({ path, orb }: TestedOrb, io: Io): boolean {
  const findings = checkOntology(orb.manifest);
  io.err(findings.map((finding) => findingText({ file: path, finding })).join(''));
  return findings.some(({ severity }) => severity === 'error');
}

const isRequiredFailure = ({ results }: TestRun): boolean =>
  results.some(({ required, status }) => required && status !== 'passed');

function reportText(report: JsonObject): string {
  const lines = listAt(report, 'findings')
    .filter(isJsonObject)
    .map(
      (finding) =>
        `  ${textAt(finding, 'severity')} ${textAt(finding, 'code')} ${textAt(finding, 'pointer')}: ${textAt(finding, 'message')}\n`,
    );
  return lines.join('');
}

function publishedText(value: JsonObject): string {
  const tests = objectAt(objectAt(value, 'validation_report'), 'tests');
  return [
    `${textAt(value, 'orb_id')}  ${textAt(value, 'status')}`,
    `  tier      ${textAt(value, 'certification_tier')}, score ${textAt(value, 'reputation_score')}`,
    `  tests     ${textAt(tests, 'passed')} of ${textAt(tests, 'required')} required, ${textAt(tests, 'provenance')}`,
    `  digest    ${textAt(value, 'manifest_digest')}`,
    `  log       entry ${textAt(objectAt(value, 'log'), 'index')}`,
    '',
  ].join('\n');
}

interface Printing {
  readonly server: Server;
  readonly format: Format;
  readonly dry: boolean;
}

async function print(reply: Reply, { server, format, dry }: Printing, io: Io): Promise<Exit> {
  const { value } = reply;
  if (reply.kind === 'problem') {
    if (format === 'text') io.err(reportText(objectAt(value, 'validation_report')));
    return printProblem(reply.status, value, server, { format, io });
  }
  if (format === 'json' || format === 'yaml') io.out(await dataText(value, format));
  else io.out(dry ? `It can be published.\n${reportText(value)}` : publishedText(value));
  return EXIT.ok;
}

async function submit(
  server: Server,
  { tested, run }: { readonly tested: TestedOrb; readonly run: TestRun },
  args: Args,
  io: Io,
): Promise<Reply> {
  const query = [
    ...(args.has('dry-run') ? ['dry_run=true'] : []),
    ...(args.has('namespace') ? [`namespace=${encodeURIComponent(args.one('namespace') ?? '')}`] : []),
  ].join('&');
  const body = JSON.stringify({
    manifest: tested.manifest,
    test_results: run.report,
    ...(tested.suites.length === 0 ? {} : { test_suites: tested.suites }),
  });
  const path = `marketplace/orbs/publish${query === '' ? '' : `?${query}`}`;
  const headers = { accept: 'application/json' };
  return fetchReply(server, { method: 'POST', path, headers, body, timeoutMs: TIMEOUT_MS }, io);
}

async function publish(args: Args, io: Io): Promise<Exit> {
  const [path = '', ...suites] = args.positionals;
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const read = await readTestedOrb(path, suites, args.all('egress-allow').map(originOf), io);
  io.err(read.findings.map(findingText).join(''));
  const { orb: tested } = read;
  if (tested === undefined || ontologyRefuses(tested, io)) return EXIT.invalid;
  const orbiset = args.one('orbiset') ?? 'default';
  const namespace = args.one('namespace');
  const server = await findServer(args, io);
  const target = {
    server,
    orbiset: namespace === undefined ? orbiset : `${namespace}.${orbiset}`,
    namespace,
  };
  const choice = { target, withEffect: args.has('live') };
  const effect = effectiveEffect(tested.orb.manifest);
  if (effect !== 'none' && whySkipped(tested, choice) === undefined) io.err(announcement(tested, effect));
  const run = await runTests(tested, choice, io);
  io.err(resultsText(tested, run.results));
  if (isRequiredFailure(run)) {
    io.err('orb: nothing was sent: a required case did not pass\n');
    return EXIT.negative;
  }
  const reply = await submit(server, { tested, run }, args, io);
  return print(reply, { server, format, dry: args.has('dry-run') }, io);
}

export const publishVerb: Verb = {
  usage: 'MANIFEST [SUITE…]',
  count: [1, 65],
  flags: [
    { name: 'orbiset', value: 'NAME', text: 'Orbiset in which live cases run (default)' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'tenant that publishes, for keys of several' },
    { name: 'live', text: 'also run live cases of an Orb with an effect: they really happen' },
    { name: 'dry-run', text: 'run the tests and check everything; publish nothing' },
    { name: 'egress-allow', value: 'ORIGIN', repeats: true, text: 'an origin that Orbs may call, as for npm start' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about:
    'Checks the manifest with the ontology, runs its suites, those beside the manifest without SUITE, and publishes the version with the report. A published version never changes. Publishing the same again changes nothing.',
  examples: [
    '{orb} publish manifests/echo.yaml',
    '{orb} publish manifests/mail.yaml --dry-run',
    '{orb} publish manifests/mail.yaml --orbiset support --live',
  ],
  run: publish,
};
