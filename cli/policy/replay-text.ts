import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { printable, table, textAt } from '../io/output.ts';
import type { ReplayVerdict } from './replay-conditions.ts';

const LABELS: Readonly<Record<string, string>> = {
  unchanged: 'unchanged',
  allow_to_deny: 'would be denied',
  deny_to_allow: 'would be allowed',
  obligations_changed: 'other obligations',
  error: 'with a failed rule',
  indeterminate: 'undecidable',
};

/** The counts of both ways to read facts that count, side by side when they are there. */
function countsText(replay: JsonObject): string {
  const columns = [
    ['', 'counts'],
    ['as recorded', 'as_recorded'],
    ['recomputed', 'recomputed'],
  ].filter(([, name = '']) => name === 'counts' || isJsonObject(member(replay, name)));
  const rows = Object.entries(LABELS).map(([name, label]) => [
    `  ${label}`,
    ...columns.map(([, column = '']) => textAt(objectAt(replay, column), name)),
  ]);
  const head = ['', ...columns.map(([title = '']) => title)];
  return table(columns.length > 1 ? [head, ...rows] : rows);
}

/** `orbs acme.mailer@1.2.0 17, acme.refund@2.0.0 3`. */
function mostText(affected: JsonObject, name: string): string {
  const pairs = listAt(affected, name).slice(0, 5);
  const texts = pairs.map((pair) => (Array.isArray(pair) ? pair.map(String).join(' ') : ''));
  return texts.length === 0 ? '' : `  ${name} ${printable(texts.join(', '))}\n`;
}

function reasonText(reason: JsonValue): string {
  const fact = textAt(reason, 'fact');
  return `  undecidable: ${textAt(reason, 'reason')}${fact === '' ? '' : ` ${fact}`}, ${textAt(reason, 'count')} runs\n`;
}

const changeRow = (change: JsonValue): readonly string[] => [
  `  ${textAt(change, 'receipt_id')}`,
  textAt(change, 'at'),
  textAt(change, 'kind') === 'obligations_changed'
    ? 'other obligations'
    : `${textAt(change, 'from')} → ${textAt(change, 'to')}`,
  textAt(change, 'orb_id'),
  textAt(change, 'rule'),
];

/** Changed runs of a replay, for people. */
export const changesText = (changes: readonly JsonValue[]): string =>
  changes.length === 0 ? '' : `changed runs\n${table(changes.map(changeRow))}`;

/** A replay with what it found, for people. */
export function replayText(replay: JsonObject): string {
  const affected = objectAt(replay, 'affected');
  const digest = textAt(replay, 'policy_digest');
  const head = `${textAt(replay, 'replay_id')} ${textAt(replay, 'status')}${digest === '' ? '' : ` of ${digest}`}\n`;
  if (!isJsonObject(member(replay, 'counts'))) return head;
  const took = textAt(replay, 'elapsed_ms');
  return [
    head,
    `${textAt(replay, 'evaluated')} runs${took === '' ? '' : ` in ${took} ms`}\n`,
    countsText(replay),
    mostText(affected, 'orbs'),
    mostText(affected, 'callers'),
    ...listAt(replay, 'indeterminate').map(reasonText),
  ].join('');
}

const WORDS = { passed: 'passed', failed: 'FAILED', undecidable: 'undecidable' } as const;

/** The verdict with its reasons, for people. */
export const verdictText = ({ kind, why }: ReplayVerdict): string =>
  `gate ${WORDS[kind]}\n${why.map((line) => `  ${printable(line)}\n`).join('')}`;
