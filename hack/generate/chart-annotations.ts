import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseDocument, Scalar, stringify } from 'yaml';
import type { Artefact } from './artefact.ts';
import { changesOf } from './changes.ts';
import { formatted } from './formatted.ts';

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
