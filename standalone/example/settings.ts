import { parseArgs } from 'node:util';
import { parseAddress, type ListenAddress } from '../../api-server/process/listen.ts';

/** Settings of the bundled provider as a process of its own. */
export interface ProviderSettings {
  readonly listen: ListenAddress;
  /** File with the bearer token that callers must send. */
  readonly tokenFile: string;
  /** Files (PEM); undefined: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

export type ParsedProviderSettings =
  | { readonly kind: 'start'; readonly settings: ProviderSettings }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const HELP = `example-provider --token-file FILE [options]

The provider of the example Orb (manifests/echo.yaml) as a process of its own: POST /v1/echo returns the text that it is
given, to whoever sends the token. GET /healthz needs none.

  --listen HOST:PORT          address                            127.0.0.1:8443   (port 0: a free one)
  --token-file FILE           holds the bearer token, as a mounted Secret does
  --tls-cert FILE             certificate chain (PEM), with
  --tls-key FILE              its private key; without the two: plain HTTP

Example: example-provider --listen 0.0.0.0:8443 --token-file /secrets/ECHO_TOKEN
`;

class WrongUsage extends Error {}

function tlsOf(certFile: string | undefined, keyFile: string | undefined): ProviderSettings['tls'] {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  throw new WrongUsage('--tls-cert and --tls-key belong together');
}

const string = { type: 'string' } as const;

function parse(argv: readonly string[]): ParsedProviderSettings {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      listen: { ...string, default: '127.0.0.1:8443' },
      'token-file': string,
      'tls-cert': string,
      'tls-key': string,
      help: { type: 'boolean', short: 'h', default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.help) return { kind: 'help' };
  const listen = parseAddress(values.listen);
  if (listen === undefined) throw new WrongUsage('--listen takes HOST:PORT, for example 127.0.0.1:8443');
  const tokenFile = values['token-file'];
  if (tokenFile === undefined) throw new WrongUsage('--token-file FILE is missing: callers must send the token in it');
  return { kind: 'start', settings: { listen, tokenFile, tls: tlsOf(values['tls-cert'], values['tls-key']) } };
}

/** Reads the command line of the bundled provider. */
export function parseProviderSettings(argv: readonly string[]): ParsedProviderSettings {
  try {
    return parse(argv);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}
