import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Say } from '../control-plane/build.ts';
import { SUPPORTED } from '../control-plane/releases.ts';
import { findTool } from '../control-plane/tools.ts';
import { conform, type Schemas } from './conform.ts';
import { apiVersionsOf, readDefinitions } from './definitions.ts';
import type { Finding } from './finding.ts';
import type { Json } from '../control-plane/json.ts';
import { readOpenApi } from './openapi.ts';
import { checkReadme, writeReadme } from './readme.ts';
import { findSubjects, lint, render, type Rendered, type ChartCase } from './render.ts';
import { checkDefinitions, checkObjects } from './rules.ts';
import { score } from './score.ts';
import { checkValuesSchema } from './values-schema.ts';

/** The result of one check. */
export interface CheckResult {
  readonly check: string;
  readonly seconds: number;
  readonly findings: readonly Finding[];
  /** Warnings of a tool that the design explains. */
  readonly explained: readonly string[];
}

interface Tools {
  readonly helm: string;
  readonly helmDocs: string;
  readonly kubeconform: string;
  readonly kubeScore: string;
}

const GROUP = 'orbs.dev';

async function findTools(say: Say): Promise<Tools> {
  return {
    helm: await findTool('helm', say),
    helmDocs: await findTool('helm-docs', say),
    kubeconform: await findTool('kubeconform', say),
    kubeScore: await findTool('kube-score', say),
  };
}

const chartsOf = (subjects: readonly ChartCase[]): readonly string[] => [
  ...new Set(subjects.map(({ chart }) => chart)),
];

/** Runs each item of a list, one after another, because there are only two cores. */
async function each<T>(
  items: readonly T[],
  check: (item: T) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const item of items) found.push(...(await check(item)));
  return found;
}

/** The charts, rendered for a cluster without and with every definition, on the oldest and the newest release. */
async function renderAll(
  helm: string,
  subjects: readonly ChartCase[],
  definitions: readonly Json[],
): Promise<{ readonly rendered: readonly Rendered[]; readonly findings: readonly Finding[] }> {
  const rendered: Rendered[] = [];
  const all = apiVersionsOf(definitions);
  const wanted = Object.values(SUPPORTED).flatMap((version) =>
    subjects.flatMap((subject) =>
      [all, ...(subject.values === undefined ? [[]] : [])].map((apiVersions) => ({ subject, version, apiVersions })),
    ),
  );
  const findings = await each(wanted, async ({ subject, ...capabilities }) => {
    const result = await render(helm, subject, capabilities);
    if ('what' in result) return [result];
    rendered.push(result);
    return [];
  });
  return { rendered, findings };
}

const isOwn = (definition: Json): boolean => JSON.stringify(definition['spec'] ?? {}).startsWith(`{"group":"${GROUP}"`);

interface Needs {
  readonly tools: Tools;
  readonly definitions: readonly Json[];
  /** By release of Kubernetes. */
  readonly schemas: ReadonlyMap<string, Schemas>;
}

/**
 * Tools and schemas that the gate needs besides the charts; builds and fetches what is not in the cache.
 * @param root of the checkout
 */
export async function prepareGate(root: string, say: Say): Promise<Needs> {
  const tools = await findTools(say);
  const definitions = await readDefinitions(root, say);
  const schemas = new Map<string, Schemas>();
  for (const version of Object.values(SUPPORTED))
    schemas.set(version, { openApi: await readOpenApi(version, say), definitions });
  return { tools, definitions, schemas };
}

/** Runs every check of the gate. @param root of the checkout */
export async function runGate(root: string, say: Say): Promise<readonly CheckResult[]> {
  const { tools, definitions, schemas } = await prepareGate(root, say);
  const subjects = findSubjects(root);
  const charts = chartsOf(subjects);
  const results: CheckResult[] = [];
  const run = async (check: string, work: (explained: string[]) => Promise<readonly Finding[]>): Promise<void> => {
    const since = performance.now();
    const explained: string[] = [];
    const findings = await work(explained);
    results.push({ check, seconds: (performance.now() - since) / 1000, findings, explained });
    say(`  ${findings.length === 0 ? 'ok' : `${findings.length} findings`}: ${check}`);
  };
  let rendered: readonly Rendered[] = [];
  await run('helm lint --strict', () => each(subjects, (subject) => lint(tools.helm, subject)));
  await run('helm template', async () => {
    const all = await renderAll(tools.helm, subjects, definitions);
    rendered = all.rendered;
    return all.findings;
  });
  await run('kubeconform -strict, oldest and newest Kubernetes', () =>
    each(rendered, (one) => {
      const against = schemas.get(one.version);
      if (against === undefined) throw new TypeError(`no schemas of ${one.version}`);
      return conform(tools.kubeconform, one, against);
    }),
  );
  await run('kube-score', (explained) =>
    each(rendered, async (one) => {
      const scored = await score(tools.kubeScore, one);
      explained.push(...scored.explained);
      return scored.findings;
    }),
  );
  await run('images and selectors', () => each(rendered, async (one) => checkObjects(one)));
  await run('resource definitions', () =>
    each(
      rendered.filter(({ subject }) => subject.chart.endsWith('orb-crds')),
      async (one) => checkDefinitions(one, definitions.filter(isOwn)),
    ),
  );
  await run('values.schema.json', () => each(charts, checkValuesSchema));
  await run('README.md by helm-docs', () => each(charts, (chart) => checkReadme(tools.helmDocs, root, chart)));
  return results;
}

/** Writes the READMEs of the charts, which the gate compares. */
export async function writeGenerated(root: string, say: Say): Promise<void> {
  const helmDocs = await findTool('helm-docs', say);
  for (const name of readdirSync(join(root, 'charts'))) {
    await writeReadme(helmDocs, root, join(root, 'charts', name));
    say(`charts/${name}/README.md`);
  }
}
