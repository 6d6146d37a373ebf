import type { JsonObject } from '../../../core/json/json-value.ts';
import type { Trace } from '../../../core/policy/language/port.ts';

/** Values of the parts of a condition, as answers show them. */
export const traceJson = ({ expr, value, args }: Trace): JsonObject =>
  args.length === 0 ? { expr, value } : { expr, value, args: args.map(traceJson) };
