// Runs on Node >= 20, before anything is installed: plain JavaScript, no package imported.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const changed = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  console.error('Installing dependencies (npm ci; once, about 15 s) …');
  const install = spawnSync('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (install.error) console.error(`npm could not be started: ${install.error.message}`);
  if (install.status !== 0) {
    console.error('npm ci failed. Is the npm registry reachable? Run "npm ci --include=dev" to see all of its output.');
    process.exit(1);
  }
}
if (!existsSync('node_modules/.bin/node') && Number.parseInt(process.versions.node) < 24) {
  console.error('Node 24 is missing: npm rebuild node (the install ran with --ignore-scripts?)');
  process.exit(1);
}
