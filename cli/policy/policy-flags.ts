import type { Flag } from '../../adapters/process/flag.ts';

/** Where policies are read from. */
export const FILE: Flag = {
  name: 'file',
  short: 'f',
  value: 'FILE',
  repeats: true,
  text: 'file or folder with policies; - is standard input',
};
