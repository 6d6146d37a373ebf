import { givenOf, type Args } from '../process/arguments.ts';
import type { Flag, ValueFlag } from '../process/flag.ts';
import { asText } from '../process/flag-values.ts';
import { UsageError } from '../process/start-error.ts';
import type { Connection } from './connection.ts';
import { directConnection, inClusterConnection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of the Kubernetes API and the credentials for it. No file was read yet. */
export type ConnectionSource =
  | { readonly kind: 'kubeconfig'; readonly path?: string; readonly context?: string }
  | { readonly kind: 'server'; readonly server: string; readonly tokenFile?: string; readonly caFile?: string }
  | { readonly kind: 'in-cluster'; readonly env: Environment };

const KUBECONFIG: ValueFlag<string> = {
  name: 'kubeconfig',
  value: 'FILE',
  text: 'where the Kubernetes API is',
  otherwise: 'in a pod: its ServiceAccount',
  parse: asText,
};

const CONTEXT: ValueFlag<string> = {
  name: 'context',
  value: 'NAME',
  text: 'context of the kubeconfig',
  otherwise: 'its current one',
  parse: asText,
};

const KUBE_SERVER: ValueFlag<string> = {
  name: 'kube-server',
  value: 'URL',
  text: 'address of the API server, in place of a kubeconfig',
  parse: (text, flag) => {
    if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
    throw new UsageError(`${flag} takes a URL, for example https://127.0.0.1:6443`);
  },
};

const TOKEN_FILE: ValueFlag<string> = {
  name: 'kube-token-file',
  value: 'FILE',
  text: 'bearer token for --kube-server, read again when the file changes',
  parse: asText,
};

const CA_FILE: ValueFlag<string> = {
  name: 'kube-ca-file',
  value: 'FILE',
  text: 'CA of --kube-server (PEM)',
  parse: asText,
};

/** Flags of every program that talks to a cluster. */
export const CONNECTION_FLAGS: readonly Flag[] = [KUBECONFIG, CONTEXT, KUBE_SERVER, TOKEN_FILE, CA_FILE];

function serverSource(server: string, args: Args): ConnectionSource {
  const [tokenFile, caFile] = [givenOf(args, TOKEN_FILE), givenOf(args, CA_FILE)];
  const files = { ...(tokenFile === undefined ? {} : { tokenFile }), ...(caFile === undefined ? {} : { caFile }) };
  return { kind: 'server', server, ...files };
}

function podSource(args: Args, env: Environment): ConnectionSource {
  const lost = [TOKEN_FILE, CA_FILE].filter(({ name }) => args.has(name)).map(({ name }) => `--${name}`);
  if (lost.length > 0) throw new UsageError(`${lost.join(', ')} needs --kube-server URL beside it`);
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return { kind: 'in-cluster', env };
  throw new UsageError('this is no pod of a cluster: name one with --kubeconfig FILE or with --kube-server URL');
}

/**
 * Resolves the connection flags: a kubeconfig, a server with a token file, or the ServiceAccount of the pod.
 * @returns what `openConnection` takes
 * @throws UsageError the flags name no cluster, or two
 */
export function parseConnection(args: Args, env: Environment): ConnectionSource {
  const [path, context, server] = [givenOf(args, KUBECONFIG), givenOf(args, CONTEXT), givenOf(args, KUBE_SERVER)];
  const isKubeconfig = path !== undefined || context !== undefined;
  if (server !== undefined && isKubeconfig)
    throw new UsageError('--kube-server and --kubeconfig exclude each other: use one');
  if (server !== undefined) return serverSource(server, args);
  if (!isKubeconfig) return podSource(args, env);
  return {
    kind: 'kubeconfig',
    ...(path === undefined ? {} : { path }),
    ...(context === undefined ? {} : { context }),
  };
}

/**
 * A file or server that the flags name can't be used. The message is one line for the person who starts the process,
 * and says what to do.
 */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

/** Reads the files that the flags name. @throws ConnectionError a file is missing or has the wrong content */
export async function openConnection(source: ConnectionSource): Promise<Connection> {
  try {
    return await open(source);
  } catch (error) {
    throw new ConnectionError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function open(source: ConnectionSource): Promise<Connection> {
  switch (source.kind) {
    case 'kubeconfig': {
      const { path, context } = source;
      return kubeconfigConnection({
        ...(path === undefined ? {} : { path }),
        ...(context === undefined ? {} : { context }),
      });
    }
    case 'server': {
      const { server, tokenFile, caFile } = source;
      return directConnection({
        server,
        ...(tokenFile === undefined ? {} : { tokenFile }),
        ...(caFile === undefined ? {} : { caFile }),
      });
    }
    case 'in-cluster':
      return inClusterConnection(source.env);
    default:
      return source satisfies never;
  }
}
