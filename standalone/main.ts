import { cacheCompiledModules } from '../adapters/process/compile-cache.ts';
import { removeOldReadyFile } from '../adapters/process/old-ready-file.ts';
import { packageRoot } from '../adapters/process/package-root.ts';

removeOldReadyFile();
cacheCompiledModules(packageRoot());
await import('./program.ts');
