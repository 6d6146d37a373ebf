import { bothOf, givenOf, valueOf } from '../../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine, type ParsedCommandLine } from '../../adapters/process/command-line.ts';
import type { ValueFlag } from '../../adapters/process/flag.ts';
import { asText } from '../../adapters/process/flag-values.ts';
import { addressFlag, TLS_CERT, TLS_KEY } from '../../adapters/process/shared-flags.ts';
import { UsageError } from '../../adapters/process/start-error.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';

/** Settings of the bundled provider as a process of its own. */
export interface ProviderSettings {
  readonly listen: ListenAddress;
  /** File with the bearer token that callers must send. */
  readonly tokenFile: string;
  /** Files (PEM); undefined: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
}

const FLAGS = {
  listen: addressFlag('listen', 'address of the provider', '127.0.0.1:8443'),
  tokenFile: {
    name: 'token-file',
    value: 'FILE',
    text: 'file with the bearer token, for example of a mounted Secret; required',
    parse: asText,
  },
  tlsCert: { ...TLS_CERT, otherwise: 'none: plain HTTP', parse: asText },
  tlsKey: { ...TLS_KEY, parse: asText },
} as const satisfies Readonly<Record<string, ValueFlag<unknown>>>;

export const PROVIDER_COMMAND_LINE: CommandLine<ProviderSettings> = {
  call: 'example-provider',
  about: `The provider of the example Orb (manifests/echo.yaml) as a process of its own: POST /v1/echo returns the text that it is
given, to callers that send the token. GET /healthz needs no token.`,
  flags: Object.values(FLAGS),
  example: '--listen 0.0.0.0:8443 --token-file /secrets/ECHO_TOKEN',
  resolve: (args) => {
    const tokenFile = givenOf(args, FLAGS.tokenFile);
    if (tokenFile === undefined)
      throw new UsageError('--token-file FILE is missing: callers must send the token in it');
    const tls = bothOf(args, FLAGS.tlsCert, FLAGS.tlsKey);
    return {
      listen: valueOf(args, FLAGS.listen),
      tokenFile,
      tls: tls === undefined ? undefined : { certFile: tls[0], keyFile: tls[1] },
    };
  },
};

/** Parses the command line of the bundled provider. */
export const parseProviderSettings = (argv: readonly string[]): ParsedCommandLine<ProviderSettings> =>
  parseCommandLine(PROVIDER_COMMAND_LINE, argv);
