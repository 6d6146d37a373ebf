import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { buildGo, ended } from '../../../hack/integration/go-program.ts';
import { jsonOf } from '../../support/suites.ts';

const SOURCE = join(import.meta.dirname, '../../outsider');
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

/** Builds the program. @throws Error with what Go says */
export async function buildOutsider(): Promise<OutsiderProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'orb-outsider-'));
  const program = join(folder, 'outsider');
  await buildGo(SOURCE, program);
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
