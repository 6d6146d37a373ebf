// Generates files from the schemas of crds/, the ontology, manifests/ and the changelog: checks of documents, types, resource
// definitions, examples, references. `--check` writes nothing, names the files that are stale and exits with 1.
import { resolve } from 'node:path';
import { kindArtefacts } from './generate/kinds.ts';
import { ontologyArtefacts } from './generate/ontology.ts';
import { writeArtefacts } from './generate/write-artefacts.ts';
import { validatorArtefacts } from './generate/validators.ts';

const root = resolve(import.meta.dirname, '..');
const check = process.argv.includes('--check');
const first = [...(await kindArtefacts(root)), ...(await validatorArtefacts(root)), ...(await ontologyArtefacts(root))];
const stale = [...(await writeArtefacts(root, first, { check }))];
if (!check || stale.length === 0) {
  // The other generators use kinds, checks of documents and the ontology: they are loaded when these are written.
  const { everything } = await import('./generate/everything.ts');
  stale.push(...(await writeArtefacts(root, await everything(root), { check })));
}
if (check) for (const path of stale) console.error(`${path} is stale: npm run generate`);
process.exitCode = check && stale.length > 0 ? 1 : 0;
