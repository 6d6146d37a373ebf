import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';

export const maintenanceCancelVerb: Verb = {
  usage: 'MAINTENANCE_ID',
  count: [1, 1],
  flags: [...SERVER_FLAGS, OUTPUT],
  about:
    'For the platform: needs the scope admin in the platform namespace. Cancels what has not begun, or ends what has; what was excluded until now stays excluded.',
  examples: ['{orb} maintenance cancel mnt_01a20ae7-71fa-7184-aea0-ff51543f8516'],
  run: (args, io) =>
    printAnswer(args, io, {
      method: 'DELETE',
      path: `status/maintenance/${encodeURIComponent(args.positionals[0] ?? '')}`,
      textOf: (value) => `${textAt(value, 'id')} has ended at ${textAt(value, 'cancelled_at')}\n`,
    }),
};
