import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { objectsOf } from '../../../hack/charts/render.ts';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import { PLATFORM_NAMESPACE } from '../../../hack/control-plane/install.ts';
import { findTool } from '../../../hack/control-plane/tools.ts';

const root = resolve(import.meta.dirname, '../../..');
export const PLATFORM_CHART = join(root, 'charts/orb-platform');
export const CI_FOLDER = join(PLATFORM_CHART, 'ci');
export const CI_FILES: readonly string[] = readdirSync(CI_FOLDER).toSorted();

/** Helm with its own folders. */
export interface Helm {
  /** Never rejects. */
  readonly run: (args: readonly string[]) => Promise<CommandResult>;
  /** Text of the rendered platform. @throws Error the message of Helm */
  readonly render: (args?: readonly string[]) => Promise<string>;
  readonly remove: () => void;
}

/** @param kubeconfig of the cluster that it connects to; absent: it only renders */
export async function openHelm(kubeconfig = '/nowhere'): Promise<Helm> {
  const helm = await findTool('helm');
  const folder = mkdtempSync(join(tmpdir(), 'orb-helm-'));
  const env = {
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(folder, 'cache'),
    HELM_CONFIG_HOME: join(folder, 'config'),
    HELM_DATA_HOME: join(folder, 'data'),
  };
  const run = (args: readonly string[]): Promise<CommandResult> => command(helm, args, { env });
  const render = async (args: readonly string[] = []): Promise<string> => {
    const { code, stdout, stderr } = await run(['template', 'orb', PLATFORM_CHART, '-n', PLATFORM_NAMESPACE, ...args]);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  return { run, render, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The objects of a text of YAML documents. @throws Error a document is not YAML, or not an object */
export const objectsIn = (text: string): readonly JsonObject[] => objectsOf(text).filter(isJsonObject);

/** A member below objects; undefined when a member on the path is missing. */
export const at = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((found, name) => (isJsonObject(found) ? found[name] : undefined), value);

/** A text below objects; '' when it is missing. */
export const textAt = (value: JsonValue | undefined, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

/** `Kind namespace/name`. */
export const titleOf = (object: JsonObject): string =>
  `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'namespace')}/${textAt(object, 'metadata', 'name')}`;
