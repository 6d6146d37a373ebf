import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { REASON, reasonOf } from '../args/reason.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { printable, textAt } from '../io/output.ts';

function indexOf(text: string): number {
  const index = /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(index)) return index;
  throw usage(`${printable(text)}: the index of an entry is an integer from 0`);
}

export const logRetractVerb: Verb = {
  usage: 'INDEX',
  count: [1, 1],
  flags: [REASON, ...SERVER_FLAGS, OUTPUT],
  about:
    'For the platform: needs the scope admin in the platform namespace. The entry stays in the log and counts no more. Receipts, violations, incidents, test reports and audits can be retracted, each once.',
  examples: ["{orb} log retract 4711 --reason 'the run was a test of the platform'"],
  run: async (args, io) => {
    const index = indexOf(args.positionals[0] ?? '');
    const body = { index, reason: reasonOf(args) };
    return printAnswer(args, io, {
      method: 'POST',
      path: 'log/retractions',
      body,
      textOf: (value) => `entry ${index} counts no more (entry ${textAt(value, 'index')} of the log says so)\n`,
    });
  },
};
