import { surviveLostOutput } from '../adapters/process/lost-output.ts';
import { EX_USAGE } from '../adapters/process/start-error.ts';
import { exitOnSignal } from '../adapters/process/stop-signal.ts';
import { chooseProgram, HELP } from './programs.ts';

const [node = process.execPath, , ...argv] = process.argv;
const choice = chooseProgram(argv);
switch (choice.kind) {
  case 'help':
    surviveLostOutput(process, () => (process.exitCode = 1));
    process.stdout.write(HELP);
    break;
  case 'wrong':
    process.stderr.on('error', () => undefined);
    process.stderr.write(`${choice.message}\n\n${HELP}`);
    process.exitCode = EX_USAGE;
    break;
  case 'run':
    if (process.pid === 1) exitOnSignal();
    // The programs read their arguments from here, as when they are started directly. Their help shows the name.
    process.argv = [node, choice.name, ...choice.rest];
    await choice.load();
    break;
  default:
    choice satisfies never;
}
