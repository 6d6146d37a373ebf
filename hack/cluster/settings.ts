import { resolve } from 'node:path';
import type { Args } from '../../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine, type ParsedCommandLine } from '../../adapters/process/command-line.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { EGRESS_ALLOW, EGRESS_CA, EGRESS_STUB, LOG_LEVEL, STANDALONE } from '../../adapters/process/shared-flags.ts';
import { allowRulesOf } from '../../api-server/process/egress-settings.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { standaloneCommandLine } from '../../standalone/settings.ts';

/** Settings of `npm run cluster`. */
export interface ClusterSettings {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly issuer: string;
  readonly readyFile: string | undefined;
  /** Flags for both API and operator: a host that the dialer allows also passes the host lints. */
  readonly egress: readonly string[];
  /** Flags for the API only, which checks certificates. */
  readonly egressCa: readonly string[];
  readonly logLevel: string;
  /** Keep the folder with logs and data at the end. */
  readonly keep: boolean;
}

const KEEP: Flag = { name: 'keep', text: 'leave the folder with logs and data when it stops' };

const pass = ({ name }: Flag, values: readonly string[]): readonly string[] =>
  values.flatMap((value) => [`--${name}`, value]);

/**
 * Flags that standalone also has follow its rules, so that a value that API or operator would refuse is reported at
 * once.
 */
function resolveSettings(args: Args): ClusterSettings {
  const settings = standaloneCommandLine('').resolve(args);
  allowRulesOf(settings);
  const { listen, metricsListen, issuer, readyFile, egressAllow, egressStub, egressCa, logLevel } = settings;
  const egress = [...pass(EGRESS_ALLOW, egressAllow), ...pass(EGRESS_STUB, egressStub)];
  const authorities = egressCa.map((file) => resolve(file));
  return {
    listen,
    metricsListen,
    issuer,
    readyFile,
    egress,
    egressCa: pass(EGRESS_CA, authorities),
    logLevel,
    keep: args.has(KEEP.name),
  };
}

export const CLUSTER_COMMAND_LINE: CommandLine<ClusterSettings> = {
  call: 'npm run cluster --',
  about: `Runs the platform on a local control plane: etcd, kube-apiserver, kube-controller-manager, the operator and the API, with
the resource definitions, RBAC, keys, an API key and the example installed. Everything lies in one temporary folder.
ORB_K8S_VERSION chooses the Kubernetes release: 1.33, 1.34, 1.35 or 1.36 (the newest, default). Stop: Ctrl-C.`,
  flags: [
    STANDALONE.listen,
    STANDALONE.metricsListen,
    { ...STANDALONE.issuer, text: 'https origin in receipts' },
    {
      ...STANDALONE.readyFile,
      text: 'written with urls, key, kubeconfig and an example as JSON (mode 0600), when requests are answered',
    },
    EGRESS_ALLOW,
    EGRESS_STUB,
    EGRESS_CA,
    LOG_LEVEL,
    KEEP,
  ],
  example: '--listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 --keep',
  resolve: resolveSettings,
};

/** Parses the command line of `npm run cluster`. */
export const parseSettings = (argv: readonly string[]): ParsedCommandLine<ClusterSettings> =>
  parseCommandLine(CLUSTER_COMMAND_LINE, argv);
