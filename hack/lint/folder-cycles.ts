import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Folders that each folder imports from. Folders are two levels deep (`core/orb`); a file further up belongs to its top
 * folder.
 */
export type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>;

const IMPORTED = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

const folderOf = (file: string): string => posix.dirname(file).split('/').slice(0, 2).join('/');

/** Relative imports of a TypeScript source, including imports of types. */
const importsOf = (source: string): readonly string[] => [...source.matchAll(IMPORTED)].map(([, path = '']) => path);

/** @param sources path from the root, with forward slashes, to source */
export function folderGraph(sources: ReadonlyMap<string, string>): FolderGraph {
  const graph = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    const from = folderOf(file);
    const targets = graph.get(from) ?? new Set<string>();
    for (const path of importsOf(source)) targets.add(folderOf(posix.join(posix.dirname(file), path)));
    targets.delete(from);
    graph.set(from, targets);
  }
  return graph;
}

/** @returns the shortest path from a folder back to itself, including both ends; undefined: no path */
function wayBack(start: string, graph: FolderGraph): readonly string[] | undefined {
  const seen = new Set<string>();
  const ways: (readonly string[])[] = [[start]];
  // The list grows during the loop: shorter paths come before longer paths.
  for (const way of ways) {
    const next = [...(graph.get(way.at(-1) ?? start) ?? [])];
    if (next.includes(start)) return [...way, start];
    ways.push(...next.filter((folder) => !seen.has(folder)).map((folder) => [...way, folder]));
    for (const folder of next) seen.add(folder);
  }
  return undefined;
}

/** One shortest cycle for each folder that is part of a cycle, such as `core/a → core/b → core/a`, each cycle once. */
export function folderCycles(graph: FolderGraph): readonly string[] {
  const found = new Map<string, string>();
  for (const folder of [...graph.keys()].toSorted()) {
    const way = wayBack(folder, graph);
    const cycle = [...new Set(way)].toSorted().join(' ');
    if (way !== undefined && !found.has(cycle)) found.set(cycle, way.join(' → '));
  }
  return [...found.values()];
}

/** Sources of the TypeScript files below folders of the repository. */
export function readSources(root: string, folders: readonly string[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const folder of folders)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const file = posix.join(folder, name.replaceAll('\\', '/'));
      if (file.endsWith('.ts')) sources.set(file, readFileSync(join(root, file), 'utf8'));
    }
  return sources;
}
