import { configFile } from '../io/config-folder.ts';
import type { Io } from '../io/io.ts';

/** File of the pinned roots. */
export const trustFile = (io: Pick<Io, 'env' | 'home'>): string => configFile(io, 'trust.json');
