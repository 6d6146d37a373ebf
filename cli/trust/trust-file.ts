import { join } from 'node:path';
import type { Io } from '../io/io.ts';

/** Where pinned roots are kept: `ORB_CONFIG_DIR`, else `$XDG_CONFIG_HOME/orb`, else `~/.config/orb`. */
export function trustFile(io: Pick<Io, 'env' | 'home'>): string {
  const { ORB_CONFIG_DIR: own, XDG_CONFIG_HOME: config } = io.env;
  if (own !== undefined && own !== '') return join(own, 'trust.json');
  return join(config === undefined || config === '' ? join(io.home, '.config') : config, 'orb', 'trust.json');
}
