import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tileLayout, tilePath } from '../../../core/merkle/tiles.ts';
import type { BenchServer } from '../subjects.ts';
import { urlOf } from './served.ts';

const AT_ONCE = 8;

/** Entry bundles and tiles of a log of this size: below `/log`. */
function pathsOf(size: number): readonly string[] {
  const levels = tileLayout(size);
  const [leaves] = levels;
  const bundles = leaves === undefined ? [] : [{ ...leaves, level: 'entries' as const }];
  return [...levels, ...bundles].flatMap(({ level, full, partialWidth }) => [
    ...Array.from({ length: full }, (_, index) => tilePath({ level, index, width: 256 })),
    ...(partialWidth === 0 ? [] : [tilePath({ level, index: full, width: partialWidth })]),
  ]);
}

/** Copies the public log of a platform into a folder, as `orb reputation recompute --log FOLDER` reads it. */
export async function copyLog(server: BenchServer, folder: string, size: number): Promise<void> {
  const files = [
    ['orb-keys.json', '/.well-known/orb-keys.json'] as const,
    ...['checkpoint', ...pathsOf(size)].map((path) => [path, `/log/${path}`] as const),
  ].values();
  const copyRest = async (): Promise<void> => {
    for (const [file, path] of files) {
      const answer = await fetch(urlOf(server, path));
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
      const target = join(folder, file);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, Buffer.from(await answer.arrayBuffer()));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, copyRest));
}
