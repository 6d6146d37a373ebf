import { homedir } from 'node:os';
import { extname } from 'node:path';
import { cacheCompiledModules, cacheForUser } from '../adapters/process/compile-cache.ts';
import { packageRoot } from '../adapters/process/package-root.ts';

// A build may belong to another user, or lie on a file system that is read-only.
if (extname(import.meta.filename) === '.ts') cacheCompiledModules(packageRoot());
else cacheForUser(process.env, homedir());
await import('./program.ts');
