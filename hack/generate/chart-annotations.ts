import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseDocument, Scalar, stringify } from 'yaml';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';

/** An entry of `artifacthub.io/changes` (packaging.md §5). */
interface Change {
  readonly kind: string;
  readonly description: string;
}

const KINDS = new Set(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']);

/** The lines below the heading of a version, up to the next heading. */
function sectionOf(changelog: string, version: string): readonly string[] {
  const lines = changelog.split('\n');
  const first = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
  if (first === -1) throw new Error(`CHANGELOG.md has no section ## ${version}`);
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return end === -1 ? rest : rest.slice(0, end);
}

function kindOf(heading: string): string {
  const kind = heading.slice('### '.length).toLowerCase();
  if (!KINDS.has(kind))
    throw new Error(`CHANGELOG.md: unknown heading "${heading}"; use one of ${[...KINDS].join(', ')}`);
  return kind;
}

/**
 * The changes of a version, from a changelog in the format of Keep a Changelog.
 * @throws Error the version has no section, or an entry has no kind
 */
export function changesOf(changelog: string, version: string): readonly Change[] {
  const changes: Change[] = [];
  let kind: string | undefined;
  for (const line of sectionOf(changelog, version)) {
    const last = changes.at(-1);
    if (line.startsWith('### ')) kind = kindOf(line);
    else if (line.startsWith('- ')) {
      if (kind === undefined) throw new Error(`CHANGELOG.md: "${line}" stands below no kind, such as ### Added`);
      changes.push({ kind, description: line.slice(2) });
    } else if (line.startsWith('  ') && last !== undefined)
      changes[changes.length - 1] = { ...last, description: `${last.description} ${line.trim()}` };
  }
  return changes;
}

const PATH = 'charts/orb-platform/Chart.yaml';
/** One example of each kind that people write first. */
const EXAMPLES = ['manifests/kubernetes/base/orbiset.yaml', 'manifests/kubernetes/base/echo.yaml'];

function block(value: unknown): Scalar<string> {
  const scalar = new Scalar(stringify(value, { lineWidth: 0 }));
  scalar.type = Scalar.BLOCK_LITERAL;
  return scalar;
}

function exampleIn(artefacts: readonly Artefact[], path: string): unknown {
  const text = artefacts.find((artefact) => artefact.path === path)?.text;
  if (text === undefined) throw new Error(`${path} is no generated file`);
  return parse(text);
}

/**
 * Annotations of the platform's chart for Artifact Hub (packaging.md §5): changes of the changelog, example resources.
 */
export async function chartAnnotationArtefacts(
  root: string,
  examples: readonly Artefact[],
): Promise<readonly Artefact[]> {
  const [chart, changelog] = await Promise.all(
    [PATH, 'CHANGELOG.md'].map((path) => readFile(join(root, path), 'utf8')),
  );
  const document = parseDocument(chart ?? '');
  const changes = changesOf(changelog ?? '', String(document.get('version')));
  const objects = EXAMPLES.map((path) => exampleIn(examples, path));
  document.setIn(['annotations', 'artifacthub.io/changes'], block(changes));
  document.setIn(['annotations', 'artifacthub.io/crdsExamples'], block(objects));
  return [{ path: PATH, text: await formatted(root, PATH, document.toString({ lineWidth: 0 })) }];
}
