import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { backupLedger, type Backup } from '../../adapters/ledger/sqlite-copy/backup.ts';
import type { Args } from '../args/parse-args.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { checkReadable, ledgerFile, megabytes, onLedger } from './ledger-file.ts';

const DATA = '.orb';
const STREAM = '-';
/** Between two lines of progress. */
const EVERY_MS = 2000;

function progress(io: Io): (done: number, total: number) => void {
  let toldAt = io.clock.monotonic();
  return (done, total) => {
    if (io.clock.monotonic() - toldAt < EVERY_MS) return;
    toldAt = io.clock.monotonic();
    io.err(`copied ${Math.floor((100 * done) / Math.max(1, total))} %\n`);
  };
}

async function copy(args: Args, file: string, target: string, io: Io): Promise<Backup> {
  await checkReadable(file, '--data DIR names the data folder of the API');
  const made = await onLedger(
    () => backupLedger({ file, target, overwrite: args.has('force'), onProgress: progress(io) }),
    '--force replaces it',
  );
  const unsigned = made.treeSize - made.signedSize;
  io.err(`${megabytes(made.bytes)}, a log of ${made.treeSize} entries under ${made.logOrigin}, checked\n`);
  if (unsigned > 0) io.err(`its newest checkpoint covers all but the last ${unsigned}\n`);
  io.err('the keys are not in it: back up the Secret or the folder of the keys too, apart from this file\n');
  return made;
}

/** The copy is made and checked beside the ledger first: what was sent can't be taken back. */
async function stream(args: Args, file: string, io: Io): Promise<void> {
  const target = join(dirname(file), `backup-${process.pid}.sqlite`);
  try {
    await copy(args, file, target, io);
    await io.files.toStdout(target);
  } finally {
    await rm(target, { force: true });
  }
}

export const ledgerBackupVerb: Verb = {
  name: 'ledger backup',
  summary: 'Copies the embedded ledger while the API runs, and checks the copy.',
  usage: 'FILE | -',
  count: [1, 1],
  flags: [
    { name: 'data', value: 'DIR', text: `data folder of the API (${DATA}; in the image /data)` },
    { name: 'force', text: 'replaces FILE' },
  ],
  about:
    'FILE has the whole copy in the end, synced and checked page by page, or is as it was. - writes it to standard output:\nso it leaves a pod, which has no shell and no tar. The API need not stop, and does not wait.',
  examples: ['{orb} ledger backup ledger-2026-11-20.sqlite', '{orb} ledger backup - --data /data'],
  run: async (args, io) => {
    const file = ledgerFile(args.one('data') ?? DATA);
    const target = args.positionals[0] ?? '';
    if (target === STREAM) {
      await stream(args, file, io);
      return EXIT.ok;
    }
    const made = await copy(args, file, resolve(target), io);
    io.out(`${resolve(target)} ${made.bytes} ${made.treeSize}\n`);
    return EXIT.ok;
  },
};
