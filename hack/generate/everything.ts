import type { Artefact } from './artefact.ts';
import { chartAnnotationArtefacts } from './chart-annotations.ts';
import { chartArtefacts } from './charts.ts';
import { cliArtefacts } from './cli.ts';
import { configurationArtefacts } from './configuration.ts';
import { definitionArtefacts, kindSchemas } from './definitions.ts';
import { exampleArtefacts } from './examples.ts';
import { failureReasonArtefacts } from './failure-reasons.ts';
import { logEntryArtefacts } from './log-entries.ts';
import { policyArtefacts } from './policies.ts';
import { problemArtefacts } from './problems.ts';
import { rbacArtefacts } from './rbac.ts';
import { referenceArtefacts } from './reference.ts';
import { readResources } from './resources.ts';
import { ruleArtefacts } from './rules.ts';
import { scopeArtefacts } from './scopes.ts';
import { securityTestArtefacts } from './security-tests.ts';
import { typeArtefacts } from './types.ts';

/** All generated files but kinds and checks of documents, which some of the generators here use. */
export async function everything(root: string): Promise<readonly Artefact[]> {
  const resources = await readResources(root);
  const kinds = await kindSchemas(root, resources);
  const definitions = await definitionArtefacts(root, kinds);
  const examples = await exampleArtefacts(root);
  const parts = [
    typeArtefacts(root, resources),
    rbacArtefacts(root, resources),
    chartAnnotationArtefacts(root, examples),
    referenceArtefacts(root, kinds),
    cliArtefacts(root),
    policyArtefacts(root),
    problemArtefacts(root),
    failureReasonArtefacts(root),
    logEntryArtefacts(root),
    ruleArtefacts(root),
    scopeArtefacts(root),
    securityTestArtefacts(root),
    configurationArtefacts(root),
  ];
  return [...definitions, ...chartArtefacts(definitions), ...examples, ...(await Promise.all(parts)).flat()];
}
