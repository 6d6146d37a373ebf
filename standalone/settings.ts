import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isLoopback, parseAddress, type ListenAddress } from '../api-server/process/listen.ts';

/** Settings of `npm start`; every one has a default. */
export interface Settings {
  readonly listen: ListenAddress;
  readonly metricsListen: ListenAddress;
  readonly resources: string;
  readonly data: string;
  /** The newest checkpoint of the log, outside `data`. */
  readonly logHead: string;
  /** https origin; fixed with the ledger. */
  readonly issuer: string;
  readonly readyFile: string | undefined;
  readonly egressAllow: readonly string[];
  readonly egressStub: readonly string[];
  readonly egressCa: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export type ParsedSettings =
  | { readonly kind: 'start'; readonly settings: Settings }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const HELP = `npm start -- [options]      (the same as: npm run -s orb -- dev [options])

Runs the Orb API without a cluster, over a folder of manifests, with an embedded ledger.

  --listen HOST:PORT          API address, loopback only         127.0.0.1:8080   (port 0: a free one)
  --metrics-listen HOST:PORT  Prometheus metrics                 127.0.0.1:9464
  --resources DIR             manifests, Orbs, Orbisets, Secrets the repository's manifests/
  --data DIR                  keys, ledger, vault, API keys      .orb
  --log-head FILE             newest checkpoint of the log; a data folder that was lost or
                              restored is noticed by it          beside --data: .orb.log-head
  --issuer URL                https origin in receipts; fixed with the ledger
                                                                 https://orbs.localhost
  --ready-file FILE           gets url, key and an example as JSON (mode 0600) once requests are answered
  --egress-allow ORIGIN       lets Orbs call this origin         http://127.0.0.1:9000 …
  --egress-stub ORIGIN=ADDRESS:PORT   sends one origin's traffic to a local stub, with TLS
  --egress-ca FILE            one more CA (PEM), for these two only
  --log-level LEVEL           debug, info, warn or error         info

Example: npm start -- --listen 127.0.0.1:0 --data /tmp/orb --ready-file /tmp/orb-ready.json
`;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

class WrongUsage extends Error {}

function parseListen(text: string, flag: string): ListenAddress {
  const address = parseAddress(text);
  if (address === undefined) throw new WrongUsage(`${flag} takes HOST:PORT, for example 127.0.0.1:8080`);
  if (isLoopback(address)) return address;
  throw new WrongUsage(
    `${flag} ${address.host}: this is plain HTTP, so it listens on loopback only (127.0.0.1, ::1, localhost)`,
  );
}

function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.origin !== text) {
    throw new WrongUsage('--issuer takes an https origin without path, for example https://orbs.example');
  }
  return text;
}

function parseLevel(text: string): Settings['logLevel'] {
  const level = LEVELS.find((known) => known === text);
  if (level === undefined) throw new WrongUsage(`--log-level is one of ${LEVELS.join(', ')}`);
  return level;
}

const string = { type: 'string' } as const;
const list = { type: 'string', multiple: true, default: [] as string[] } as const;

function parse(argv: readonly string[], bundledManifests: string): ParsedSettings {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      listen: { ...string, default: '127.0.0.1:8080' },
      'metrics-listen': { ...string, default: '127.0.0.1:9464' },
      resources: { ...string, default: bundledManifests },
      data: { ...string, default: '.orb' },
      'log-head': string,
      issuer: { ...string, default: 'https://orbs.localhost' },
      'ready-file': string,
      'egress-allow': list,
      'egress-stub': list,
      'egress-ca': list,
      'log-level': { ...string, default: 'info' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    strict: true,
    allowPositionals: false,
  });
  if (values.help) return { kind: 'help' };
  const settings: Settings = {
    listen: parseListen(values.listen, '--listen'),
    metricsListen: parseListen(values['metrics-listen'], '--metrics-listen'),
    resources: resolve(values.resources),
    data: resolve(values.data),
    logHead: resolve(values['log-head'] ?? `${resolve(values.data)}.log-head`),
    issuer: parseIssuer(values.issuer),
    readyFile: values['ready-file'] === undefined ? undefined : resolve(values['ready-file']),
    egressAllow: values['egress-allow'],
    egressStub: values['egress-stub'],
    egressCa: values['egress-ca'],
    logLevel: parseLevel(values['log-level']),
  };
  return { kind: 'start', settings };
}

/**
 * Reads the command line of standalone.
 * @param bundledManifests folder that `--resources` defaults to
 */
export function parseSettings(argv: readonly string[], bundledManifests: string): ParsedSettings {
  try {
    return parse(argv, bundledManifests);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { kind: 'wrong', message: error.message };
  }
}
