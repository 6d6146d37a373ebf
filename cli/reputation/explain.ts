import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { fetchReply } from '../api/answer.ts';
import { printProblem } from '../api/problem.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText, table, textAt } from '../io/output.ts';

const TIMEOUT_MS = 30_000;

function headLines(profile: JsonObject): readonly (readonly string[])[] {
  const status = textAt(profile, 'tier_status');
  const since = textAt(profile, 'tier_since');
  const computed = textAt(profile, 'computed_tier');
  const tier = textAt(profile, 'certification_tier');
  const over = objectAt(profile, 'computed_over');
  return [
    ['orb', textAt(profile, 'orb_id')],
    ['score', `${textAt(profile, 'reputation_score')} of 100, confidence ${textAt(profile, 'confidence')}`],
    ['tier', `${tier}, ${status.replaceAll('_', ' ')}${since === 'null' ? '' : `, since ${since}`}`],
    ...(computed === tier ? [] : [['computed', `${computed} by its criteria alone`]]),
    ['from', `${textAt(over, 'tree_size')} entries of ${textAt(over, 'origin')}, as of ${textAt(over, 'as_of')}`],
  ];
}

const componentRow = (part: JsonValue): readonly string[] => [
  textAt(part, 'id'),
  `${textAt(part, 'points')} of ${textAt(part, 'weight')}`,
  textAt(part, 'why'),
];

/** Only what takes something away. */
const penaltyRows = (penalty: JsonValue): readonly (readonly string[])[] =>
  listAt(penalty, 'items').map((item) => [
    textAt(penalty, 'id'),
    `−${(Number(member(item, 'effect')) * 100).toFixed(1)} %`,
    `entry ${textAt(item, 'log_index')}, ${[textAt(item, 'severity'), `${textAt(item, 'age_days')} days old`].filter((text) => text !== 'null').join(', ')}`,
  ]);

const missingLine = (criterion: JsonValue): string =>
  `  ${textAt(criterion, 'id')}: ${textAt(criterion, 'actual')}, needs ${textAt(criterion, 'required')}\n`;

function nextLines(profile: JsonObject): string {
  const next = member(profile, 'next_tier');
  if (!isJsonObject(next)) return 'nothing is missing: this is the highest tier\n';
  const [tier, missing, since] = [textAt(next, 'tier'), listAt(next, 'missing'), textAt(next, 'held_since')];
  if (missing.length === 0) return `${tier}: every criterion holds since ${since}; a promotion takes 72 hours\n`;
  return `${tier} lacks:\n${missing.map(missingLine).join('')}`;
}

function explained(profile: JsonObject): string {
  const caps = listAt(profile, 'caps').map(String);
  const parts = [
    ...listAt(profile, 'components').map(componentRow),
    ...listAt(profile, 'penalties').flatMap(penaltyRows),
  ];
  return [
    table(headLines(profile)),
    '\n',
    table(parts),
    caps.length === 0 ? '' : `active caps: ${caps.join(', ')}\n`,
    '\n',
    nextLines(profile),
  ].join('');
}

export const explainVerb: Verb = {
  usage: 'ORB_ID',
  count: [1, 1],
  flags: [...SERVER_FLAGS, OUTPUT],
  about: `Shows each part of the score with its points and a sentence why, the log entries that lower it, and what the
next tier still lacks. orb reputation recompute computes the same from the public log.`,
  examples: ['{orb} reputation explain acme.echo@1.2.0'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const path = `reputation/${encodeURIComponent(orbIdOf(args.positionals[0] ?? ''))}`;
    const server = await findServer(args, io);
    const reply = await fetchReply(server, { method: 'GET', path, headers: {}, timeoutMs: TIMEOUT_MS }, io);
    if (reply.kind === 'problem') return printProblem(reply.status, reply.value, server, { format, io });
    io.out(format === 'json' || format === 'yaml' ? await dataText(reply.value, format) : explained(reply.value));
    return EXIT.ok;
  },
};
