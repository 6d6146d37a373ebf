import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { command } from '../control-plane/command.ts';
import { findingsOf, type Finding } from './finding.ts';
import { isRecord, type Json } from '../control-plane/json.ts';

/** A chart with one set of values. */
export interface ChartCase {
  readonly chart: string;
  /** File of values; undefined: the chart's own. */
  readonly values: string | undefined;
}

/** The objects that Helm rendered of a subject. */
export interface Rendered {
  readonly subject: ChartCase;
  /** Release of Kubernetes that it was rendered for. */
  readonly version: string;
  readonly text: string;
  readonly objects: readonly Json[];
}

const CHARTS = ['charts/orb-crds', 'charts/orb-platform'];
const RELEASE = 'orb';
const NAMESPACE = 'orb-system';

/** Every chart with its own values and with each file of its folder `ci`. */
export function findSubjects(root: string): readonly ChartCase[] {
  return CHARTS.flatMap((name) => {
    const chart = join(root, name);
    const folder = join(chart, 'ci');
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('-values.yaml')) : [];
    return [undefined, ...files.toSorted().map((file) => join(folder, file))].map((values) => ({ chart, values }));
  });
}

/** Name of a subject in findings. */
export const nameOf = ({ chart, values }: ChartCase): string =>
  [chart, ...(values === undefined ? [] : [values])].map((path) => path.split('/').at(-1)).join(' with ');

const valuesOf = ({ values }: ChartCase): readonly string[] => (values === undefined ? [] : ['--values', values]);

/** `helm lint --strict`. */
export async function lint(helm: string, subject: ChartCase): Promise<readonly Finding[]> {
  const { code, stdout, stderr } = await command(helm, ['lint', '--strict', subject.chart, ...valuesOf(subject)]);
  if (code === 0) return [];
  const said = `${stdout}${stderr}`.split('\n').filter((line) => /\[(ERROR|WARNING)\]|^Error/.test(line));
  return findingsOf(nameOf(subject), said.length === 0 ? `${stdout}${stderr}` : said.join('\n'));
}

// Renders of a chart differ in few of their documents, and parsing all of them takes half a second.
const parsed = new Map<string, Json | null>();

function objectOf(text: string): Json | null {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw fault;
  const value: unknown = document.toJS();
  if (value !== null && !isRecord(value)) {
    throw new TypeError(`a rendered document is no object: ${JSON.stringify(value)}`);
  }
  parsed.set(text, value);
  return value;
}

/** The objects of a text with several documents. @throws Error a document is not YAML, or not an object */
export const objectsOf = (text: string): readonly Json[] =>
  text.split(/^---$/m).flatMap((document): readonly Json[] => {
    const object = objectOf(document);
    return object === null ? [] : [object];
  });

/** The capabilities of a cluster, in the form of Helm's flags. */
export interface Capabilities {
  readonly version: string;
  readonly apiVersions: readonly string[];
}

/** `helm template`. @returns Helm's error when it fails */
export async function render(
  helm: string,
  subject: ChartCase,
  { version, apiVersions }: Capabilities,
): Promise<Rendered | Finding> {
  const offered = apiVersions.flatMap((name) => ['--api-versions', name]);
  const args = ['template', RELEASE, subject.chart, '--namespace', NAMESPACE, '--kube-version', version];
  const { code, stdout, stderr } = await command(helm, [...args, ...offered, ...valuesOf(subject)]);
  if (code !== 0) return { where: nameOf(subject), what: stderr.trim() };
  return { subject, version, text: stdout, objects: objectsOf(stdout) };
}
