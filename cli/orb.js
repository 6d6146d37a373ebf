#!/usr/bin/env node
// Finds Node ≥ 24 and runs the command line on it: plain JavaScript, so that an older Node can say what is missing.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const NEEDED = [24, 11];

function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** Another Node: one that is named, or the one that a checkout brings along. */
function otherNode() {
  const candidates = [
    process.env.ORB_NODE,
    join(root, 'node_modules/node/bin/node'),
    join(root, 'node_modules/.bin/node'),
  ];
  return candidates.find((path) => {
    if (!path || !existsSync(path)) return false;
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    return status === 0 && isNewEnough(stdout.trim());
  });
}

// A checkout runs its source, also beside an older build; under node_modules Node strips no types.
const source = join(root, 'cli/main.ts');
const isPackage = root.split(sep).includes('node_modules');
const main = !isPackage && existsSync(source) ? source : join(root, 'dist/cli/main.js');

/** The same terminal and arguments; signals go on to it, its end is ours. */
function runOn(node) {
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both of us already.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`orb: ${error.message}`);
    process.exitCode = 2;
  });
  child.on('close', (code, signal) => process.exit(code ?? (signal ? 128 + constants.signals[signal] : 2)));
}

if (isNewEnough(process.versions.node)) {
  // main.ts does this too, but Node would load its parser of TypeScript for that file first, which takes 40 ms.
  if (main === source) module.enableCompileCache(join(root, 'node_modules/.cache/orb-compile'));
  await import(pathToFileURL(main).href);
} else {
  const node = otherNode();
  if (node) runOn(node);
  else {
    console.error(`orb: needs Node.js ${NEEDED.join('.')} or newer, this is ${process.versions.node}.`);
    console.error('     Install it from https://nodejs.org, or name one: ORB_NODE=/path/to/node');
    process.exitCode = 2;
  }
}
