import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { dataText, formatOf, printable, table } from '../io/output.ts';
import { readVault, VAULT_FLAGS, vaultOf } from './vault.ts';

export const secretsListVerb: Verb = {
  name: 'secrets list',
  summary: 'Lists the secrets of a vault of npm start: names and hosts, never values.',
  usage: '',
  count: [0, 0],
  flags: [...VAULT_FLAGS, OUTPUT_LIST],
  examples: ['{orb} secrets list'],
  run: async (args, io) => {
    const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
    const entries = await readVault(vaultOf(args));
    const shown = entries.map(({ name, hosts }) => ({ name, hosts: [...hosts] }));
    if (format === 'json' || format === 'yaml') io.out(dataText({ secrets: shown }, format));
    else if (format === 'name') io.out(shown.map(({ name }) => `${name}\n`).join(''));
    else io.out(table([['ENTRY', 'HOSTS'], ...shown.map(({ name, hosts }) => [name, printable(hosts.join(', '))])]));
    return EXIT.ok;
  },
};
