import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import { isDigest } from '../../core/json/digest.ts';
import { printAnswerFrom } from '../api/print-answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { namedObject } from '../args/tenant-flags.ts';
import { usage } from '../io/failure.ts';
import { dataText, table, textAt, textsAt } from '../io/output.ts';
import { ABOUT_NAME, NAMESPACE, placeOfPolicy, policyPath } from './find-policy.ts';
import { testCounts } from './policy-text.ts';

const HEAD = ['DIGEST', 'GENERATION', 'AT', 'BY', 'MODE', 'TESTS', 'REPLAYS'];

const rowOf = (version: JsonValue): readonly string[] => [
  ...['digest', 'generation', 'at', 'by', 'mode'].map((name) => textAt(version, name)),
  testCounts(member(version, 'tests')),
  textsAt(version, 'replays'),
];

const listText = (value: JsonObject): string => table([HEAD, ...listAt(value, 'items').map(rowOf)]);

const wholeText = (value: JsonObject): Promise<string> => dataText(value, 'yaml');

export const policyVersionsVerb: Verb = {
  usage: 'NAME [DIGEST]',
  count: [1, 2],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: `${ABOUT_NAME}
Lists the versions that were in force, the newest first; with DIGEST it prints that one with its spec. Those of a
deleted policy are found by NAMESPACE/NAME.`,
  examples: [
    '{orb} policy versions day-budget',
    '{orb} policy versions day-budget sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const [text = '', digest] = args.positionals;
    if (digest !== undefined && !isDigest(digest)) throw usage('DIGEST: sha256: and 64 hex digits');
    const name = namedObject(text, args);
    const server = await findServer(args, io);
    const found = await placeOfPolicy(server, name, io);
    if (found.kind === 'problem') return printProblem(found.status, found.value, server, { format, io });
    if (digest === undefined) {
      const path = policyPath(found.place, '/versions');
      return printAnswerFrom(server, args, io, { method: 'GET', path, textOf: listText });
    }
    const path = policyPath(found.place, `/versions/${digest}`);
    return printAnswerFrom(server, args, io, { method: 'GET', path, textOf: wholeText });
  },
};
