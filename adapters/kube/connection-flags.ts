import type { Connection } from './connection.ts';
import { directConnection, inClusterConnection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Values of the connection flags, as `parseArgs` gives them. */
export interface ConnectionValues {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly 'kube-server'?: string | undefined;
  readonly 'kube-token-file'?: string | undefined;
  readonly 'kube-ca-file'?: string | undefined;
}

/** Where the Kubernetes API is, and who we are there. Nothing was read yet. */
export type ConnectionSource =
  | { readonly kind: 'kubeconfig'; readonly path?: string; readonly context?: string }
  | { readonly kind: 'server'; readonly server: string; readonly tokenFile?: string; readonly caFile?: string }
  | { readonly kind: 'in-cluster'; readonly env: Environment };

type ParsedConnection =
  | { readonly ok: true; readonly source: ConnectionSource }
  | { readonly ok: false; readonly message: string };

const option = { type: 'string' } as const;

/** For `options` of `parseArgs`. */
export const CONNECTION_OPTIONS = {
  kubeconfig: option,
  context: option,
  'kube-server': option,
  'kube-token-file': option,
  'kube-ca-file': option,
} as const;

/** Lines for a help text. */
export const CONNECTION_HELP = `  --kubeconfig FILE           where the Kubernetes API is        in a pod: its ServiceAccount
  --context NAME              context of the kubeconfig          its current one
  --kube-server URL           instead of a kubeconfig: the address of the API server, with
  --kube-token-file FILE      a bearer token (read again when it changes) and
  --kube-ca-file FILE         the CA of the server (PEM)
`;

const wrong = (message: string): ParsedConnection => ({ ok: false, message });
const isServer = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function parseServer(server: string, values: ConnectionValues): ParsedConnection {
  const { 'kube-token-file': tokenFile, 'kube-ca-file': caFile } = values;
  if (!isServer(server)) return wrong('--kube-server takes a URL, for example https://127.0.0.1:6443');
  const files = { ...(tokenFile === undefined ? {} : { tokenFile }), ...(caFile === undefined ? {} : { caFile }) };
  return { ok: true, source: { kind: 'server', server, ...files } };
}

function parseDefault(values: ConnectionValues, env: Environment): ParsedConnection {
  const lost = ['kube-token-file', 'kube-ca-file'].filter((name) => Object.hasOwn(values, name));
  if (lost.length > 0) return wrong(`--${lost.join(', --')} needs --kube-server URL beside it`);
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return { ok: true, source: { kind: 'in-cluster', env } };
  return wrong('this is no pod of a cluster: name one with --kubeconfig FILE or with --kube-server URL');
}

/**
 * Reads the connection flags: a kubeconfig, a server with a token file, or the ServiceAccount of the pod.
 * @param values of `parseArgs` with CONNECTION_OPTIONS; absent flags are absent
 * @returns what `openConnection` takes, or one line for the person who starts the process
 */
export function parseConnection(values: ConnectionValues, env: Environment): ParsedConnection {
  const { kubeconfig: path, context, 'kube-server': server } = values;
  const isKubeconfig = path !== undefined || context !== undefined;
  if (server !== undefined && isKubeconfig) return wrong('--kube-server and --kubeconfig exclude each other: use one');
  if (server !== undefined) return parseServer(server, values);
  if (!isKubeconfig) return parseDefault(values, env);
  const named = { ...(path === undefined ? {} : { path }), ...(context === undefined ? {} : { context }) };
  return { ok: true, source: { kind: 'kubeconfig', ...named } };
}

/** What the flags name can't be used; the message is one line, with what to do, for who starts the process. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

/** Reads the files that the flags name. @throws ConnectionError a file is missing or holds something else */
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
