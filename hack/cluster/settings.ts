import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { exceptionsOf } from '../../api-server/process/egress-settings.ts';
import type { ListenAddress } from '../../api-server/process/listen.ts';
import { parseSettings as parseStandalone, type Settings } from '../../standalone/settings.ts';

/** Settings of `npm run cluster`. */
export interface ClusterSettings {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly issuer: string;
  readonly readyFile: string | undefined;
  /** Passed on to API and operator as they are. */
  readonly egress: readonly string[];
  readonly logLevel: string;
  /** Leave the folder with logs and data at the end. */
  readonly keep: boolean;
}

export const HELP = `npm run cluster -- [options]

Runs the platform on a local control plane: etcd, kube-apiserver, kube-controller-manager, the operator and the API, with
the resource definitions, RBAC, keys, an API key and the example installed. Everything lies in one temporary folder.

  --listen HOST:PORT          API address                        127.0.0.1:8080   (port 0: a free one)
  --metrics-listen HOST:PORT  metrics of the API                 127.0.0.1:9464
  --issuer URL                https origin in receipts           https://orbs.localhost
  --ready-file FILE           gets urls, key, kubeconfig and an example as JSON (mode 0600) once requests are answered
  --egress-allow ORIGIN       lets Orbs call this origin
  --egress-stub ORIGIN=ADDRESS:PORT   sends one origin's traffic to a local stub, with TLS
  --egress-ca FILE            one more CA (PEM), for these two only
  --log-level LEVEL           debug, info, warn or error         info
  --keep                      leave the folder with logs and data when it stops

ORB_K8S_VERSION chooses the Kubernetes release: 1.33, 1.34, 1.35 or 1.36 (the newest, default).
Stop: Ctrl-C.
`;

export type ParsedSettings =
  | { readonly kind: 'start'; readonly settings: ClusterSettings }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

const string = { type: 'string' } as const;
const list = { type: 'string', multiple: true, default: [] as string[] } as const;
const pass = (flag: string, values: readonly string[]): readonly string[] => values.flatMap((value) => [flag, value]);

/** The flags that standalone has too are read by its rules, so that what API or operator would refuse is told at once. */
function parseShared(values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>): Settings {
  const argv = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || typeof value === 'boolean') return [];
    return pass(`--${name}`, typeof value === 'string' ? [value] : value);
  });
  const parsed = parseStandalone(argv, '');
  if (parsed.kind !== 'start') throw new TypeError(parsed.kind === 'wrong' ? parsed.message : 'help is no setting');
  exceptionsOf(parsed.settings);
  return parsed.settings;
}

function parse(argv: readonly string[]): ParsedSettings {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      listen: string,
      'metrics-listen': string,
      issuer: string,
      'ready-file': string,
      'egress-allow': list,
      'egress-stub': list,
      'egress-ca': list,
      'log-level': string,
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.help) return { kind: 'help' };
  const { listen, metricsListen, issuer, readyFile, egressAllow, egressStub, egressCa, logLevel } = parseShared(values);
  const egress = [
    ...pass('--egress-allow', egressAllow),
    ...pass('--egress-stub', egressStub),
    ...pass(
      '--egress-ca',
      egressCa.map((file) => resolve(file)),
    ),
  ];
  const { keep } = values;
  return { kind: 'start', settings: { listen, metricsListen, issuer, readyFile, egress, logLevel, keep } };
}

/** Reads the command line of `npm run cluster`. */
export function parseSettings(argv: readonly string[]): ParsedSettings {
  try {
    return parse(argv);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}
