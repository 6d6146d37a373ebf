import { readFile, rm } from 'node:fs/promises';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { configFile } from './config-folder.ts';
import { invalid } from './failure.ts';
import type { Io } from './io.ts';
import { jsonText } from './output.ts';

/** The stored login of `orb login`: a server with its key, or which cluster of a kubeconfig to use. */
export type Login =
  | { readonly kind: 'server'; readonly server: string; readonly key: string }
  | {
      readonly kind: 'cluster';
      readonly context: string | undefined;
      readonly kubeconfig: string | undefined;
      readonly platformNamespace: string | undefined;
      readonly serviceAccount: string | undefined;
    };

const FORMAT = 'orb-login/1';

export const loginFile = (io: Pick<Io, 'env' | 'home'>): string => configFile(io, 'login.json');

const textOf = (value: JsonObject, name: string): string | undefined => {
  const found = value[name];
  return typeof found === 'string' ? found : undefined;
};

function loginOf(value: unknown): Login | undefined {
  if (!isJsonObject(value) || value['format'] !== FORMAT) return undefined;
  const [server, key] = [textOf(value, 'server'), textOf(value, 'key')];
  if (server !== undefined && key !== undefined) return { kind: 'server', server, key };
  if (value['cluster'] !== true) return undefined;
  return {
    kind: 'cluster',
    context: textOf(value, 'context'),
    kubeconfig: textOf(value, 'kubeconfig'),
    platformNamespace: textOf(value, 'platform_namespace'),
    serviceAccount: textOf(value, 'serviceaccount'),
  };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** @returns undefined when no login is stored @throws Failure the file is damaged */
export async function readLogin(io: Pick<Io, 'env' | 'home'>): Promise<Login | undefined> {
  const path = loginFile(io);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw invalid(`${path}: it can't be read (${errorCode(error) ?? ''})`);
  }
  const login = loginOf(parse(text));
  if (login === undefined) throw invalid(`${path} is no login of this version`, 'remove it by orb login --logout');
  return login;
}

function documentOf(login: Login): JsonObject {
  if (login.kind === 'server') return { format: FORMAT, server: login.server, key: login.key };
  const { context, kubeconfig, platformNamespace, serviceAccount } = login;
  return {
    format: FORMAT,
    cluster: true,
    ...(context === undefined ? {} : { context }),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(platformNamespace === undefined ? {} : { platform_namespace: platformNamespace }),
    ...(serviceAccount === undefined ? {} : { serviceaccount: serviceAccount }),
  };
}

/** Replaces the stored login; file mode 0600. */
export const writeLogin = (io: Pick<Io, 'env' | 'home'>, login: Login): Promise<void> =>
  replacePrivate(loginFile(io), `${jsonText(documentOf(login))}\n`);

/** @returns false when no login was stored */
export async function removeLogin(io: Pick<Io, 'env' | 'home'>): Promise<boolean> {
  try {
    await rm(loginFile(io));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
