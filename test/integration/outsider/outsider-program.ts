import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../../core/errors/error-code.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { jsonOf } from '../../support/suites.ts';

const SOURCE = join(import.meta.dirname, '../../outsider');
const MAX_OUTPUT = 64 * 1_048_576;

/** The end of a process. */
interface Ended {
  /** null: it could not be started. */
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

const ended = (file: string, args: readonly string[], cwd?: string): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(file, [...args], { cwd, maxBuffer: MAX_OUTPUT }, (error, out, err) => {
      const code = error === null ? 0 : error.code;
      resolve({ status: typeof code === 'number' ? code : null, out, err: err || (errorCode(error) ?? '') });
    });
  });

/** What the program found. */
export interface Outside {
  readonly status: number | null;
  /** A line for each published Orb. */
  readonly orbs: readonly JsonValue[];
  /** What it says on stderr. */
  readonly said: string;
}

/** The Go program of `test/outsider`. */
export interface OutsiderProgram {
  /** @param profiles by `orb_id` */
  readonly run: (base: string, root: string, profiles: Readonly<Record<string, JsonValue>>) => Promise<Outside>;
  readonly remove: () => void;
}

/** Why the program can't be built here; undefined: it can. */
export async function whyNoGo(): Promise<string | undefined> {
  const { status, err } = await ended('go', ['version']);
  return status === 0 ? undefined : `Go is not on this machine (${err.trim()})`;
}

/** Builds the program. @throws Error with what Go says */
export async function buildOutsider(): Promise<OutsiderProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-outsider-'));
  const program = join(folder, 'outsider');
  const built = await ended('go', ['build', '-o', program, '.'], SOURCE);
  if (built.status !== 0) throw new Error(`go build: ${built.err}`);
  return {
    run: async (base, root, profiles) => {
      const file = join(folder, 'profiles.json');
      writeFileSync(file, JSON.stringify(profiles));
      const { status, out, err } = await ended(program, ['-base', base, '-root', root, '-profiles', file]);
      const lines = out.split('\n').filter((line) => line !== '');
      return { status, orbs: lines.map((line) => jsonOf(JSON.parse(line))), said: err };
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
