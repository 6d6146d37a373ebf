import { constants } from 'node:os';
import { chooseProgram, HELP } from './programs.ts';

const STOPPING = ['SIGINT', 'SIGTERM'] as const;

/**
 * The kernel gives the first process of a container no default action for a signal: a program without a handler of its own,
 * or one that is still being loaded, would run on until it is killed.
 */
function stopLikeOthers(): void {
  for (const name of STOPPING) {
    process.on(name, () => {
      if (process.listenerCount(name) === 1) process.exit(128 + constants.signals[name]);
    });
  }
}

const [node = process.execPath, file = import.meta.filename, ...argv] = process.argv;
const choice = chooseProgram(argv);
switch (choice.kind) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.write(`${choice.message}\n\n${HELP}`);
    process.exitCode = 64;
    break;
  case 'run':
    if (process.pid === 1) stopLikeOthers();
    // The programs read their arguments from here, as they do when they are started alone.
    process.argv = [node, file, ...choice.rest];
    await choice.load();
    break;
  default:
    choice satisfies never;
}
