import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../telemetry/port.ts';
import { SERVICES, SERVICE_STATES } from '../../core/status/service.ts';
import type { Round } from '../../core/status/rounds.ts';

/** More than 30 days of rounds. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A round in a line: beginning, length, and a digit for the state of each service (`-`: it has none). */
function lineOf({ at, until, states }: Round): string {
  const digits = SERVICES.map((service) => {
    const state = states[service];
    return state === undefined ? '-' : String(SERVICE_STATES.indexOf(state));
  });
  return `${at} ${until - at} ${digits.join('')}\n`;
}

const LINE = /^(\d{1,16}) (\d{1,9}) ([-0-5]{4})$/;

function roundOf(line: string): Round | undefined {
  const [, at, length, digits = ''] = LINE.exec(line) ?? [];
  if (at === undefined || length === undefined) return undefined;
  const states = SERVICES.flatMap((service, index) => {
    const state = SERVICE_STATES[Number(digits[index])];
    return state === undefined ? [] : [[service, state] as const];
  });
  return { at: Number(at), until: Number(at) + Number(length), states: Object.fromEntries(states) };
}

/** Rounds that could not be told yet, on disk: a restart of the process loses none. */
export interface RoundJournal {
  /** What an earlier process left, the oldest first. A half line of a crash is left out. */
  readonly read: () => Promise<readonly Round[]>;
  /** Replaces the rounds on disk. Never rejects: a disk that fails costs the rounds after a restart, and no round now. */
  readonly write: (rounds: readonly Round[]) => Promise<void>;
}

async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}

/** Lines from the end on, as far as they fit. */
function newestLines(rounds: readonly Round[], maxBytes: number): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const round of rounds.toReversed()) {
    const line = lineOf(round);
    bytes += line.length;
    if (bytes > maxBytes) break;
    lines.push(line);
  }
  return lines.toReversed().join('');
}

/**
 * A journal in one file of a folder. It is empty, and then not there, as long as every round is told at once.
 * @param folder is made when it is missing
 * @param maxBytes largest journal; its oldest rounds are dropped
 */
export function openRoundJournal(
  folder: string,
  logger: Pick<Logger, 'warn'>,
  maxBytes: number = MAX_BYTES,
): RoundJournal {
  const file = join(folder, 'rounds');
  let isEmpty = false;
  let hasFailed = false;
  return {
    read: async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      return text.split('\n').flatMap((line) => roundOf(line) ?? []);
    },
    write: async (rounds) => {
      if (rounds.length === 0 && isEmpty) return;
      try {
        if (rounds.length === 0) await rm(file, { force: true });
        else await replace(file, newestLines(rounds, maxBytes));
        isEmpty = rounds.length === 0;
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) logger.warn('rounds that wait could not be written to the journal', { folder, error });
        hasFailed = true;
      }
    },
  };
}
