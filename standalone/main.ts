import { cacheCompiledModules } from '../adapters/process/compile-cache.ts';
import { packageRoot } from '../adapters/process/package-root.ts';

cacheCompiledModules(packageRoot());
await import('./program.ts');
