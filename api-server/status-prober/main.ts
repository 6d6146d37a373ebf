import { removeOldReadyFile } from '../../adapters/process/old-ready-file.ts';

removeOldReadyFile();
await import('./program.ts');
