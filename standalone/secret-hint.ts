import { resolve } from 'node:path';
import type { RuntimeSettings } from '../api-server/runtime/runtime.ts';
import { shellWord } from '../core/shell/shell-word.ts';

/**
 * The command that adds an entry, for the folder where the platform was started.
 * @param orb command line as called from here
 * @param data folder of `--data`
 */
export const secretHint =
  (orb: string, data: string): RuntimeSettings['secretHint'] =>
  ({ namespace, name }, entry, host) => {
    const place = namespace === 'default' && name === 'default' ? '' : ` -n ${namespace} --orbiset ${name}`;
    const folder = data === resolve('.orb') ? '' : ` --data ${shellWord(data)}`;
    return `${orb} secrets set ${entry} --host ${shellWord(host)}${place}${folder}`;
  };
