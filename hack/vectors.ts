// Runs test vectors: npm run vectors -- FOLDER. Exit 0 when no case failed, 1 when a case failed, 64 on wrong usage.
import { vectorsCommand } from './vectors/command.ts';

process.exitCode = await vectorsCommand(process.argv.slice(2), (line) => console.log(line));
