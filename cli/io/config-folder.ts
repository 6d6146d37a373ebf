import { join } from 'node:path';
import type { Io } from './io.ts';

/** A file of the user's configuration: in `ORB_CONFIG_DIR`, else `$XDG_CONFIG_HOME/orb`, else `~/.config/orb`. */
export function configFile(io: Pick<Io, 'env' | 'home'>, name: string): string {
  const { ORB_CONFIG_DIR: own, XDG_CONFIG_HOME: config } = io.env;
  if (own !== undefined && own !== '') return join(own, name);
  return join(config === undefined || config === '' ? join(io.home, '.config') : config, 'orb', name);
}
