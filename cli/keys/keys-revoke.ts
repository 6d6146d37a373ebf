import { parseApiKey } from '../../core/api-key/format.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import { doneFormat, printDone } from '../args/print-done.ts';
import { printable } from '../io/output.ts';
import { KEY_PLACE_FLAGS, keyPlace } from './key-place.ts';

/** @throws Failure a whole key was given: it must not be on a command line, and is in the shell's history now */
function keyIdOf(text: string): string {
  if (parseApiKey(text) !== undefined || text.startsWith('orb_')) {
    throw usage(
      'name the key by its id, the 8 characters behind orb_; a key is never an argument, because other processes see arguments',
    );
  }
  return text;
}

export const keysRevokeVerb: Verb = {
  usage: 'KEYID',
  count: [1, 1],
  flags: [...KEY_PLACE_FLAGS, OUTPUT],
  about: 'A running server refuses the key within 2 s.',
  examples: ['{orb} keys revoke 8jZ0qLwP'],
  run: async (args, io) => {
    const format = doneFormat(args);
    const keyId = keyIdOf(args.positionals[0] ?? '');
    const place = await keyPlace(args, io);
    if (!(await place.revoke(keyId))) throw invalid(`there is no key ${printable(keyId)} in ${place.name}`);
    io.err(`revoked ${keyId}\n`);
    await printDone(format, { key_id: keyId, revoked: true }, '', io);
    return EXIT.ok;
  },
};
