import type { Args } from '../../adapters/process/arguments.ts';
import { objectName } from '../cluster/names.ts';
import type { Cluster } from '../io/cluster.ts';
import type { Io } from '../io/io.ts';
import { createOnce } from './create-once.ts';
import { initTlsSecret, tlsOptions, type TlsSecretOptions } from './tls-secret.ts';

/** Secrets of the canary, with which the prober of the status checks the platform. */
export interface CanaryOptions {
  /** Secret with the signature secret of the canary's signal source, as its entry `secret`. */
  readonly source: string | undefined;
  /** Certificate of the prober, which the canary Orb calls as its provider. */
  readonly tls: TlsSecretOptions | undefined;
}

const SECRET_BYTES = 32;

/** @throws Failure (64) */
export function canaryOptions(args: Args): CanaryOptions {
  const source = args.one('canary-secret');
  return {
    source: source === undefined ? undefined : objectName(source, '--canary-secret'),
    tls: tlsOptions(args, 'canary-'),
  };
}

/** A secret of Standard Webhooks, as the entry of a Secret. */
const sourceSecret = (io: Io): string => {
  const text = `whsec_${Buffer.from(io.random(SECRET_BYTES)).toString('base64')}`;
  return Buffer.from(text).toString('base64');
};

/** What became of a Secret. */
export interface CanarySecret {
  readonly name: string;
  readonly what: string;
  readonly outcome: 'made' | 'kept';
}

/** Makes the Secrets that do not exist yet. @throws KubeError */
export async function initCanarySecrets(
  cluster: Cluster,
  namespace: string,
  { source, tls }: CanaryOptions,
  io: Io,
): Promise<readonly CanarySecret[]> {
  const done: CanarySecret[] = [];
  if (source !== undefined) {
    const secret = { namespace, name: source, type: 'Opaque', data: { secret: sourceSecret(io) } } as const;
    const what = 'the signature secret of the signal source orb-canary';
    done.push({ name: source, what, outcome: await createOnce(cluster, secret, io) });
  }
  if (tls !== undefined) {
    const what = 'a certificate of its own CA (ca.crt) for the prober, good for ten years';
    done.push({ name: tls.name, what, outcome: await initTlsSecret(cluster, namespace, tls, io) });
  }
  return done;
}
