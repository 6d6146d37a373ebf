import type { JsonValue } from '../../core/json/json-value.ts';
import type { JsonSchema } from './operation.ts';
import type { Member } from './read-members.ts';

/** Longest reason, UTF-16 code units. */
const MAX_REASON = 256;

/** Whether a value can be the reason of an act: a text that a log entry can hold, because it becomes public with one. */
export const isReason = (value: JsonValue | undefined): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= MAX_REASON &&
  value.isWellFormed() &&
  value.normalize('NFC') === value;

/** The member `reason` of a body. */
export const reasonMember: Member = {
  name: 'reason',
  accepts: isReason,
  expected: `a text of 1 to ${MAX_REASON} characters in Unicode normalisation form C, which becomes public`,
};

export const reasonSchema: JsonSchema = { type: 'string', minLength: 1, maxLength: MAX_REASON };
