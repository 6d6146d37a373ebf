import type { JsonObject } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import { namespaceQuery, printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { knownAt, table, textAt } from '../io/output.ts';

function signalText(signal: JsonObject): string {
  const event = objectAt(signal, 'event');
  const data = objectAt(event, 'data');
  const labels = objectAt(data, 'labels');
  const rows = [
    ['signal', textAt(signal, 'signal_id')],
    ['source', `${textAt(signal, 'source')}, ${textAt(objectAt(data, 'vendor'), 'type')}`],
    ['delivery', textAt(signal, 'delivery_id')],
    ['status', `${textAt(data, 'kind')} ${textAt(data, 'status')}, ${textAt(data, 'severity')}`],
    ['title', textAt(data, 'title')],
    ['description', knownAt(data, 'description')],
    ['about', knownAt(event, 'subject')],
    ['provider', knownAt(objectAt(data, 'entity'), 'provider')],
    ['fingerprint', textAt(data, 'fingerprint')],
    ['starts', knownAt(data, 'startsAt')],
    ['ends', knownAt(data, 'endsAt')],
    ['observed', textAt(signal, 'at')],
    ['repeats', `${textAt(signal, 'repeat_count')}, last seen ${textAt(signal, 'last_seen')}`],
    ...Object.keys(labels).map((name, at) => [
      at === 0 ? 'labels' : '',
      `${textAt({ name }, 'name')}=${textAt(labels, name)}`,
    ]),
  ];
  return table(rows.filter(([, value]) => value !== ''));
}

export const signalsGetVerb: Verb = {
  usage: 'SIGNAL_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: 'The signal as a CloudEvent is in -o json.',
  examples: ['{orb} signals get sig_01a20c0a-30b5-7d35-8f4f-7b2d3b4a3b0c'],
  run: async (args, io) =>
    printAnswer(args, io, {
      method: 'GET',
      path: `signals/${encodeURIComponent(args.positionals[0] ?? '')}${namespaceQuery(args)}`,
      textOf: signalText,
    }),
};
