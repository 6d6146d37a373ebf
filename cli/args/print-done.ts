import type { JsonObject } from '../../core/json/json-value.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import { formatOf } from './format.ts';
import { dataText } from '../io/output.ts';
import type { Io } from '../io/io.ts';

/** Formats of a verb that changes something. */
export type DoneFormat = 'text' | 'json' | 'yaml';

/** The value of `-o`, checked before anything is changed. @throws Failure another format */
export function doneFormat(args: Args): DoneFormat {
  const format = formatOf(args, ['text', 'json', 'yaml']);
  return format === 'json' || format === 'yaml' ? format : 'text';
}

/** Prints what was done on standard output: as text for people, which may be empty, or as a value for machines. */
export async function printDone(format: DoneFormat, value: JsonObject, text: string, io: Io): Promise<void> {
  io.out(format === 'text' ? text : await dataText(value, format));
}
