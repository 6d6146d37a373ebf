import { extname, join } from 'node:path';
import { parseAllowRules } from '../../adapters/egress/allow-rules.ts';
import { allOf, type Args } from '../../adapters/process/arguments.ts';
import { STANDALONE } from '../../adapters/process/shared-flags.ts';
import type { Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';

const FLAGS = Object.values(STANDALONE);

/** @throws Failure, UsageError a value that npm start would refuse: then nothing is started */
function wordsOf(args: Args): readonly string[] {
  const rules = parseAllowRules(allOf(args, STANDALONE.egressAllow), allOf(args, STANDALONE.egressStub));
  if (!rules.ok) throw usage(rules.errors.join('; '));
  return FLAGS.flatMap((flag) => {
    allOf<unknown>(args, flag);
    return args.all(flag.name).map((value) => `--${flag.name}=${value}`);
  });
}

/** The same file as `npm start` runs: beside this one, compiled or not. */
const standalone = join(import.meta.dirname, '../../standalone', `main${extname(import.meta.filename)}`);

export const devVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: FLAGS,
  about: 'Prints an API key and the lines that execute an example. Ends with Ctrl-C.',
  examples: ['{orb} dev --resources ./orbs --egress-allow http://127.0.0.1:9000'],
  run: async (args, io) => io.runNode(standalone, wordsOf(args)),
};
