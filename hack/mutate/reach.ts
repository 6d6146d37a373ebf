import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORTED = /(?:from|import)\s*\(?\s*'(?<specifier>\.[^']+\.ts)'/g;

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORTED)].flatMap(({ groups }) =>
    groups?.['specifier'] === undefined ? [] : [join(dirname(file), groups['specifier'])],
  );

/** Which file imports which, turned round: the importers of each TypeScript file here. */
function importers(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync('{adapters,api-server,cli,core,crds,hack,operator,standalone,test}/**/*.ts'))
    for (const imported of importsOf(file)) found.set(imported, [...(found.get(imported) ?? []), file]);
  return found;
}

/** Files that start a thread or a process: what runs there has only the mutants of `hook.ts`. */
export const startsOthers = (): readonly string[] =>
  globSync('{adapters,api-server,cli,core,hack,operator,standalone,test}/**/*.ts').filter((file) =>
    /'node:(?:worker_threads|child_process)'/.test(readFileSync(file, 'utf8')),
  );

/** @returns for a file: itself and all files that import it, directly or through others */
export function reaching(): (file: string) => ReadonlySet<string> {
  const graph = importers();
  return (file) => {
    const reached = new Set([file]);
    for (const next of reached) for (const importer of graph.get(next) ?? []) reached.add(importer);
    return reached;
  };
}
