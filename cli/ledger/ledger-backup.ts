import { rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backupLedger, type Backup } from '../../adapters/ledger/sqlite-copy/backup.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import { interruptible } from '../io/interruptible.ts';
import type { Io } from '../io/io.ts';
import {
  checkFolder,
  checkReadable,
  checkFreeSpace,
  ledgerFile,
  megabytes,
  copyLedger,
  temporaryCopies,
  progress,
  removeLeftoverCopies,
} from './ledger-file.ts';

const DATA = '.orb';
const STREAM = '-';
const NO_LEDGER = '--data DIR names the data folder of the API';
interface Ends {
  readonly file: string;
  readonly target: string;
  readonly overwrite: boolean;
}

async function copy(ends: Ends, io: Io, signal: AbortSignal): Promise<Backup> {
  await checkReadable(ends.file, NO_LEDGER);
  await checkFolder(dirname(ends.target));
  await checkFreeSpace(ends.file, ends.target);
  const options = { ...ends, onProgress: progress(io) };
  const copied = { from: ends.file, to: ends.target, ifThere: '--force replaces it' };
  const made = await copyLedger(copied, () => backupLedger(options, signal));
  const unsigned = made.treeSize - made.signedSize;
  io.err(`${megabytes(made.bytes)}, a log of ${made.treeSize} entries under ${made.logOrigin}, checked\n`);
  if (unsigned > 0) io.err(`its newest checkpoint covers all but the last ${unsigned}\n`);
  io.err('the keys are not in it: back up the Secret or the folder of the keys too, apart from this file\n');
  return made;
}

/** The copy is first made and checked beside the ledger, because sent bytes can't be taken back. */
async function stream(file: string, io: Io, signal: AbortSignal): Promise<void> {
  const target = temporaryCopies.out(file);
  await checkReadable(file, NO_LEDGER);
  await removeLeftoverCopies(file);
  try {
    await copy({ file, target, overwrite: true }, io, signal);
    await io.files.toStdout(target, signal);
  } finally {
    await rm(target, { force: true });
  }
}

export const ledgerBackupVerb: Verb = {
  usage: 'FILE | -',
  count: [1, 1],
  flags: [
    { name: 'data', value: 'DIR', text: `data folder of the API (${DATA}; in the image /data)` },
    { name: 'force', text: 'replaces FILE' },
  ],
  about:
    'At the end FILE holds the whole copy, synced and checked page by page, or it is unchanged. - writes the copy to\nstandard output, because a pod has no shell and no tar. The API keeps running and does not wait.',
  examples: ['{orb} ledger backup ledger-2026-11-20.sqlite', '{orb} ledger backup - --data /data'],
  run: async (args, io) => {
    const file = ledgerFile(args.one('data') ?? DATA);
    const [to = ''] = args.positionals;
    if (to === STREAM) {
      await interruptible((signal) => stream(file, io, signal));
      return EXIT.ok;
    }
    const target = resolve(to);
    const made = await interruptible((signal) => copy({ file, target, overwrite: args.has('force') }, io, signal));
    io.out(`${target} ${made.bytes} ${made.treeSize}\n`);
    return EXIT.ok;
  },
};
