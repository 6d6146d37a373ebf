import { keepCompiledModules } from '../adapters/process/compile-cache.ts';
import { packageRoot } from '../adapters/process/package-root.ts';

keepCompiledModules(packageRoot());
await import('./program.ts');
