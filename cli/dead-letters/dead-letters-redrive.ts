import type { Args } from '../../adapters/process/arguments.ts';
import { namespaceQuery, printAnswer, type Question } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { printable, textAt } from '../io/output.ts';
import { SOURCE, sourceFilter } from '../signals/source-name.ts';
import { EXAMPLE_ID, REASON } from './dead-letter-reason.ts';

const DEFAULT_MAX = 100;
const MOST = 10_000;

function maxOf(args: Args): number {
  const text = args.one('max');
  if (text === undefined) return DEFAULT_MAX;
  const max = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : 0;
  if (max < 1 || max > MOST) throw usage(`--max ${printable(text)}: an integer from 1 to ${MOST}`);
  return max;
}

/** @throws Failure (64) neither a delivery nor a source is named, or both */
function requestOf(args: Args): Pick<Question, 'path' | 'body'> {
  const [id] = args.positionals;
  const source = sourceFilter(args);
  if ((id === undefined) === (source === undefined)) throw usage('name one delivery, or --source NAMESPACE/NAME');
  if (source === undefined) {
    const useless = ['reason', 'max'].find((name) => args.has(name));
    if (useless !== undefined) throw usage(`--${useless} belongs to --source`);
    return { path: `dead-letters/${encodeURIComponent(id ?? '')}/redrive${namespaceQuery(args)}` };
  }
  const reason = args.one('reason');
  const body = { source, max: maxOf(args), ...(reason === undefined ? {} : { reason }) };
  const namespace = encodeURIComponent(source.slice(0, source.indexOf('/')));
  return { path: `dead-letters/redrive?namespace=${namespace}`, body };
}

export const deadLettersRedriveVerb: Verb = {
  usage: '[DELIVERY_ID]',
  count: [0, 1],
  flags: [
    { ...SOURCE, text: 'the oldest dead letters of this source, in place of one delivery' },
    REASON,
    { name: 'max', value: 'N', text: `at most so many, 1 to ${MOST} (${DEFAULT_MAX})` },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: `Maps deliveries again, after you corrected the source or made the Orb. What was mapped before is not done twice. What
fails again is a dead letter again.`,
  examples: [
    `{orb} dead-letters redrive ${EXAMPLE_ID}`,
    '{orb} dead-letters redrive --source acme/grafana --reason no_entity --max 500',
  ],
  run: async (args, io) =>
    printAnswer(args, io, {
      method: 'POST',
      ...requestOf(args),
      textOf: (value) => `mapped again: ${textAt(value, 'redriven')}\n`,
    }),
};
