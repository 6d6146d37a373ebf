import { resolve } from 'node:path';
import type { RuntimeSettings } from '../api-server/runtime/runtime.ts';

const quote = (text: string): string =>
  /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The line that adds an entry, as it must be typed where the platform was started.
 * @param orb how the command line is called from here
 * @param data folder of `--data`
 */
export const secretHint =
  (orb: string, data: string): RuntimeSettings['secretHint'] =>
  ({ namespace, name }, entry, host) => {
    const place = namespace === 'default' && name === 'default' ? '' : ` -n ${namespace} --orbiset ${name}`;
    const folder = data === resolve('.orb') ? '' : ` --data ${quote(data)}`;
    return `${orb} secrets set ${entry} --host ${quote(host)}${place}${folder}`;
  };
