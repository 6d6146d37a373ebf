import { allOf, givenOf, valueOf } from '../adapters/process/arguments.ts';
import { parseCommandLine, type CommandLine, type ParsedCommandLine } from '../adapters/process/command-line.ts';
import { httpBoundsOf, type HttpBounds } from '../adapters/process/http-bound-flags.ts';
import { useLimitsOf, type UseLimits } from '../adapters/process/limit-flags.ts';
import { STANDALONE, type ServiceGroup } from '../adapters/process/shared-flags.ts';
import type { LogLevel } from '../adapters/telemetry/logger.ts';
import type { Cidr } from '../core/network/cidr.ts';
import type { ListenAddress } from '../core/network/listen-address.ts';

/** Settings of `npm start`; all have a default. */
export interface Settings {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly resources: string;
  readonly data: string;
  /** The newest checkpoint of the log, outside `data`. */
  readonly logHead: string;
  /** https origin; fixed when the ledger is created. */
  readonly issuer: string;
  /** Largest body of a request, bytes; an Orbiset's own limit only lowers it. */
  readonly maxRequestBytes: number;
  readonly httpBounds: HttpBounds;
  /** Services whose routes this process has. */
  readonly services: readonly ServiceGroup[];
  /** Proxies whose `X-Forwarded-For` names the client. */
  readonly trustedProxies: readonly Cidr[];
  readonly use: UseLimits;
  readonly readyFile: string | undefined;
  readonly egressAllow: readonly string[];
  readonly egressStub: readonly string[];
  readonly egressCa: readonly string[];
  /** Organisations and the namespaces that own them. */
  readonly orgs: readonly (readonly [org: string, namespace: string])[];
  /** Time between evaluations of an Orb with new runs, ms. */
  readonly reputationIntervalMs: number;
  /** How long decisions with the facts of their runs, and replays, are kept. */
  readonly policyRetention: { readonly decisionsMs: number; readonly replaysMs: number };
  /** Most threads that replay policies at a time; absent: half of the cores. */
  readonly policyReplayThreads: number | undefined;
  /** Time between rounds of checks for GET /status, ms; 0: none. */
  readonly statusIntervalMs: number;
  readonly logLevel: LogLevel;
}

const FLAGS = STANDALONE;

/** @param bundledManifests folder that `--resources` defaults to */
export const standaloneCommandLine = (bundledManifests: string): CommandLine<Settings> => ({
  call: 'npm start --',
  about: `Runs the Orb API without a cluster, over a folder of manifests, with an embedded ledger.
The same as: npm run -s orb -- dev [options]`,
  flags: Object.values(FLAGS),
  example: '--listen 127.0.0.1:0 --data /tmp/orb --ready-file /tmp/orb-ready.json',
  resolve: (args) => {
    const data = valueOf(args, FLAGS.data);
    return {
      listen: valueOf(args, FLAGS.listen),
      metricsListen: valueOf(args, FLAGS.metricsListen),
      resources: givenOf(args, FLAGS.resources) ?? bundledManifests,
      data,
      logHead: givenOf(args, FLAGS.logHead) ?? `${data}.log-head`,
      issuer: valueOf(args, FLAGS.issuer),
      maxRequestBytes: valueOf(args, FLAGS.maxRequestBytes),
      httpBounds: httpBoundsOf(args, valueOf(args, FLAGS.maxRequestBytes)),
      services: valueOf(args, FLAGS.services),
      trustedProxies: allOf(args, FLAGS.trustedProxies),
      use: useLimitsOf(args, FLAGS),
      readyFile: givenOf(args, FLAGS.readyFile),
      egressAllow: allOf(args, FLAGS.egressAllow),
      egressStub: allOf(args, FLAGS.egressStub),
      egressCa: allOf(args, FLAGS.egressCa),
      orgs: allOf(args, FLAGS.orgs),
      reputationIntervalMs: valueOf(args, FLAGS.reputationInterval),
      policyRetention: {
        decisionsMs: valueOf(args, FLAGS.policyDecisions),
        replaysMs: valueOf(args, FLAGS.policyReplays),
      },
      policyReplayThreads: givenOf(args, FLAGS.policyReplayThreads),
      statusIntervalMs: valueOf(args, FLAGS.statusInterval),
      logLevel: valueOf(args, FLAGS.logLevel),
    };
  },
});

/** Parses the command line of standalone. @param bundledManifests folder that `--resources` defaults to */
export const parseSettings = (argv: readonly string[], bundledManifests: string): ParsedCommandLine<Settings> =>
  parseCommandLine(standaloneCommandLine(bundledManifests), argv);
