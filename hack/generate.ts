// Generates files from the schemas of crds/, manifests/ and the changelog: types, resource definitions, examples,
// references. `--check` writes nothing, names the files that are stale and exits with 1.
import { resolve } from 'node:path';
import type { Artefact } from './generate/artefact.ts';
import { chartAnnotationArtefacts } from './generate/chart-annotations.ts';
import { chartArtefacts } from './generate/charts.ts';
import { cliArtefacts } from './generate/cli.ts';
import { configurationArtefacts } from './generate/configuration.ts';
import { definitionArtefacts, kindSchemas } from './generate/definitions.ts';
import { exampleArtefacts } from './generate/examples.ts';
import { writeArtefacts } from './generate/write-artefacts.ts';
import { problemArtefacts } from './generate/problems.ts';
import { referenceArtefacts } from './generate/reference.ts';
import { ruleArtefacts } from './generate/rules.ts';
import { typeArtefacts } from './generate/types.ts';

const root = resolve(import.meta.dirname, '..');

async function generate(): Promise<readonly Artefact[]> {
  const kinds = await kindSchemas(root);
  const definitions = await definitionArtefacts(root, kinds);
  const examples = await exampleArtefacts(root);
  const parts = [
    typeArtefacts(root),
    chartAnnotationArtefacts(root, examples),
    referenceArtefacts(root, kinds),
    cliArtefacts(root),
    problemArtefacts(root),
    ruleArtefacts(root),
    configurationArtefacts(root),
  ];
  return [...definitions, ...chartArtefacts(definitions), ...examples, ...(await Promise.all(parts)).flat()];
}

const check = process.argv.includes('--check');
const stale = await writeArtefacts(root, await generate(), { check });
if (check) for (const path of stale) console.error(`${path} is stale: npm run generate`);
process.exitCode = check && stale.length > 0 ? 1 : 0;
