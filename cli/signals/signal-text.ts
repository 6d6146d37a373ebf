import type { JsonValue } from '../../core/json/json-value.ts';
import { objectAt } from '../../core/json/members.ts';
import { knownAt, textAt } from '../io/output.ts';

export const SIGNAL_HEAD = ['SIGNAL', 'AT', 'STATUS', 'SEVERITY', 'ABOUT', 'TITLE', 'SOURCE'];

/** A signal in a line of a table. */
export function signalRow(item: JsonValue): readonly string[] {
  const event = objectAt(item, 'event');
  const data = objectAt(event, 'data');
  return [
    textAt(item, 'signal_id'),
    textAt(item, 'at'),
    ...['status', 'severity'].map((name) => textAt(data, name)),
    knownAt(event, 'subject'),
    textAt(data, 'title'),
    textAt(item, 'source'),
  ];
}
