import { mkdir, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { restoreLedger, type Restored } from '../../adapters/ledger/sqlite-copy/restore.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Verb } from '../args/verb.ts';
import { EXIT, invalid, usage } from '../io/failure.ts';
import { interruptible } from '../io/interruptible.ts';
import type { Io } from '../io/io.ts';
import {
  checkReadable,
  ledgerFile,
  copyLedger,
  temporaryCopies,
  progress,
  removeLeftoverCopies,
} from './ledger-file.ts';

const STREAM = '-';

interface Ends {
  readonly source: string;
  readonly file: string;
  readonly force: boolean;
}

async function restore({ source, file, force }: Ends, io: Io, signal: AbortSignal): Promise<Restored> {
  const asideAs = `before-${new Date(io.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const consume = source === temporaryCopies.in(file);
  const options = { source, file, consume, onProgress: progress(io), ...(force ? { asideAs } : {}) };
  await checkReadable(source, 'FILE is a backup that orb ledger backup made');
  const ifThere = '--force replaces it, and keeps it under another name';
  const from = consume ? 'the standard input' : source;
  return copyLedger({ from, to: file, ifThere }, () => restoreLedger(options, signal));
}

async function receive(source: string, io: Io, signal: AbortSignal): Promise<void> {
  try {
    await io.files.fromStdin(source, signal);
  } catch (error) {
    if (errorCode(error) !== 'ENOSPC') throw error;
    throw invalid(
      `there is no room for the backup in ${dirname(source)}: nothing was changed`,
      'it needs space beside the existing ledger: enlarge the volume, or remove ledgers that were renamed before',
    );
  }
}

async function fromStdin({ file, force }: Ends, io: Io, signal: AbortSignal): Promise<Restored> {
  const source = temporaryCopies.in(file);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await removeLeftoverCopies(file);
  try {
    await receive(source, io, signal);
    return await restore({ source, file, force }, io, signal);
  } finally {
    await rm(source, { force: true });
  }
}

function report({ treeSize, logOrigin, aside }: Restored, file: string, io: Io): void {
  if (aside !== undefined) io.err(`the previous ledger is ${aside}: remove it when you no longer need it\n`);
  io.err(
    [
      `${file} has a log of ${treeSize} entries under ${logOrigin}.`,
      'Start the API with the keys that belong to it. If receipts were signed after this backup, it starts and signs nothing:',
      'restore a newer backup, or begin a new log with orb ledger adopt --new-origin.',
      '',
    ].join('\n'),
  );
  io.out(`${file} ${treeSize}\n`);
}

export const ledgerRestoreVerb: Verb = {
  usage: 'FILE | - --data DIR',
  count: [1, 1],
  flags: [
    { name: 'data', value: 'DIR', text: 'data folder of the API (in the image /data)' },
    { name: 'force', text: 'also replace an existing ledger: it is renamed, in the same folder' },
  ],
  about:
    'The backup is checked page by page before anything is moved. - reads it from standard input.\nKeys, vault and API keys are not part of it.',
  examples: [
    '{orb} ledger restore ledger-2026-11-20.sqlite --data .orb',
    '{orb} ledger restore - --data /data --force',
  ],
  run: async (args, io) => {
    const data = args.one('data');
    if (data === undefined) throw usage('--data DIR is needed: the data folder of the API');
    const file = ledgerFile(data);
    const [from = ''] = args.positionals;
    const ends = { source: resolve(from), file, force: args.has('force') };
    const way = from === STREAM ? fromStdin : restore;
    const restored = await interruptible((signal) => way(ends, io, signal));
    report(restored, file, io);
    return EXIT.ok;
  },
};
