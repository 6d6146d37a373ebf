import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText, printable, table } from '../io/output.ts';
import { readPins } from './trust-store.ts';

export const trustListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [OUTPUT_LIST],
  examples: ['{orb} trust list'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const pins = [...(await readPins(io))];
    if (format === 'json' || format === 'yaml') {
      const roots = pins.map(([issuer, { root, sequence, addedAt }]) => ({
        issuer,
        root: { ...root.jwk },
        kid: root.kid,
        sequence,
        added_at: addedAt,
      }));
      io.out(await dataText({ roots }, format));
    } else if (format === 'name') io.out(pins.map(([issuer]) => `${printable(issuer)}\n`).join(''));
    else {
      const rows = pins.map(([issuer, { root, sequence, addedAt }]) => [
        printable(issuer),
        root.kid,
        String(sequence),
        addedAt,
      ]);
      io.out(table([['ISSUER', 'ROOT', 'KEYS SEEN', 'ADDED'], ...rows]));
    }
    return EXIT.ok;
  },
};
