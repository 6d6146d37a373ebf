import type { Args } from '../../adapters/process/arguments.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { printAnswerFrom } from '../api/print-answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { namedObject, NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { knownAt, table, textAt } from '../io/output.ts';
import { readText } from '../io/read-file.ts';
import { givenSecret, provenSample, SAMPLE, SAMPLE_FLAGS, sampleName, sampleOf } from './sample-delivery.ts';
import { keyOfSource, readSource } from './source-name.ts';

const MAX_BYTES = 1024 * 1024;
const HEAD = ['KIND', 'STATUS', 'SEVERITY', 'ABOUT', 'BY', 'INCIDENT', 'TITLE'];

const aboutText = (matched: JsonValue | undefined): string =>
  ['orb', 'provider', 'service'].map((name) => knownAt(matched, name)).find((text) => text !== '') ??
  knownAt(matched, 'reason');

function effectText(effect: JsonValue | undefined, name: string): string {
  const why = knownAt(effect, 'why');
  return `${knownAt(effect, name)}${why === '' ? '' : ` (${why})`}`;
}

/** What the source would make of it. Its last effect is that on the reputation, the others are those of the events. */
function resultText(result: JsonObject): string {
  const [events, matched, effects] = [listAt(result, 'events'), listAt(result, 'matched'), listAt(result, 'effects')];
  const rows = events.map((event, at) => [
    ...['kind', 'status', 'severity'].map((name) => textAt(event, name)),
    aboutText(matched[at]),
    knownAt(matched[at], 'rule'),
    effectText(effects[at], 'incident'),
    textAt(event, 'title'),
  ]);
  const letter = member(result, 'dead_letter');
  const dead = isJsonObject(letter)
    ? `dead letter ${textAt(letter, 'reason')} at ${textAt(letter, 'pointer') || '(all)'}: ${textAt(letter, 'detail')}\n`
    : '';
  return [
    rows.length === 0 ? '' : table([HEAD, ...rows]),
    rows.length === 0 ? '' : `reputation: ${effectText(effects.at(-1), 'reputation')}\n`,
    ...listAt(result, 'warnings').map((one) => `warning ${textAt(one, 'code')}: ${textAt(one, 'detail')}\n`),
    dead,
  ].join('');
}

/** The headers of a file, `Name: value` in each line. @throws Failure */
function parseHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const pairs = lines.map((line, at) => {
    const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined) throw invalid(`--headers: line ${at + 1} is not Name: value`);
    return [name.toLowerCase(), value] as const;
  });
  return Object.fromEntries(pairs);
}

async function ofFile(args: Args, file: string, io: Io): Promise<JsonObject> {
  const useless = ['sample', 'orb', 'scheme', 'secret-file'].find((name) => args.has(name));
  if (useless !== undefined) throw usage(`--file or --${useless}, not both: the file is a whole body`);
  const headers = args.one('headers');
  return {
    body: await readText(file, MAX_BYTES, io),
    ...(headers === undefined ? {} : { headers: parseHeaders(await readText(headers, MAX_BYTES, io)) }),
  };
}

async function ofSample(args: Args, source: JsonObject, io: Io): Promise<JsonObject> {
  if (args.has('headers')) throw usage('--headers belongs to --file');
  const sample = sampleOf(sampleName(args, textAt(source, 'type')), args, io);
  const secret = await givenSecret(args, io);
  if (secret === undefined && args.has('verify')) throw usage('--verify of a sample needs the secret of the source');
  if (secret === undefined) return { body: sample.body };
  const { body, headers } = provenSample(sample, secret, args, io);
  return { body, headers };
}

async function dryRun(args: Args, io: Io): Promise<number> {
  const format = formatOf(args, ['text', 'json', 'yaml']);
  const name = namedObject(args.positionals[0] ?? '', args);
  const server = await findServer(args, io);
  const source = await readSource(server, name, io);
  if (source.kind === 'problem') return printProblem(source.status, source.value, server, { format, io });
  const file = args.one('file');
  const sent = file === undefined ? await ofSample(args, source.value, io) : await ofFile(args, file, io);
  return printAnswerFrom(server, args, io, {
    method: 'POST',
    path: `signal-sources/${keyOfSource(source.value)}/dry-run`,
    body: { ...sent, verify: args.has('verify') },
    textOf: resultText,
    exitOf: (result) => (isJsonObject(member(result, 'dead_letter')) ? EXIT.negative : EXIT.ok),
  });
}

export const signalsDryRunVerb: Verb = {
  usage: 'SOURCE',
  count: [1, 1],
  flags: [
    { name: 'file', short: 'f', value: 'FILE', text: 'body as the vendor sends it; - is standard input' },
    { name: 'headers', value: 'FILE', text: 'headers that came with it, Name: value in each line' },
    { ...SAMPLE, text: 'the sample of this vendor (the type of the source), in place of a file' },
    ...SAMPLE_FLAGS,
    { name: 'verify', text: 'check the signature, too' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `Says what a source would make of a body: its events, what they are about, and what they would do. Nothing is stored.
SOURCE may be NAMESPACE/NAME. Exit 1: it would be a dead letter.`,
  examples: ['{orb} signals dry-run grafana', '{orb} signals dry-run acme/github -f body.json --headers headers.txt'],
  run: dryRun,
};
