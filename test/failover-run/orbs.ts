import { secret } from '../support/cluster-objects.ts';

export const NAMESPACE = 'e2e';
/** First label of the Orbs' ids. */
export const ORG = 'e2e';
export const ORBISET = 'default';
export const PRIMARY = 'alpha';
export const FALLBACK = 'beta';
const PROVIDERS = [PRIMARY, FALLBACK] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const INTERVAL_MS = 15_000;
/** p95 beyond it is slow. */
export const THRESHOLD_MS = 500;
export const CONSECUTIVE = 3;
export const TOKENS: Readonly<Record<ProviderName, string>> = { alpha: 'token-of-alpha', beta: 'token-of-beta' };
export const hostOf = (provider: ProviderName): string => `${provider}.e2e.example`;

/** One of the Orbs that is called all the time. */
export interface CalledOrb {
  readonly name: string;
  readonly orbId: string;
  readonly method: 'GET' | 'POST';
  /** How its swaps by latency are decided: with probes of the standby, or by a trial of real runs. */
  readonly rule: 'degraded' | 'trial-ramp';
}

export const ORBS: readonly CalledOrb[] = [
  { name: 'lookup', orbId: 'e2e.lookup@1.0.0', method: 'GET', rule: 'degraded' },
  { name: 'send', orbId: 'e2e.send@1.0.0', method: 'POST', rule: 'trial-ramp' },
];

const entryOf = (provider: ProviderName): string => `${provider.toUpperCase()}_TOKEN`;

function executionOf({ method }: CalledOrb, provider: ProviderName): object {
  const url = `https://${hostOf(provider)}/v1/words`;
  const headers = { Authorization: `Bearer {{orbiset.secrets.${entryOf(provider)}}}` };
  const asked = { type: 'http', method, headers, timeout_ms: 8000 };
  return method === 'GET'
    ? { ...asked, url: `${url}?id={{inputs.id}}` }
    : { ...asked, url, body_template: '{"id":"{{inputs.id}}"}' };
}

/** The share of a trial must reach somebody within two seconds. */
const rampOf = (method: CalledOrb['method']): readonly number[] => (method === 'GET' ? [10, 50, 100] : [25, 50, 100]);

/**
 * As short as the bounds and the windows allow. A ramp compares two minutes of both providers: the hold is longer, so that
 * none of the slow runs is among them. beta is faster than alpha at any time, so only alpha's own latency decides.
 */
const swapConfig = ({ method }: CalledOrb): object => ({
  primary: PRIMARY,
  fallbacks: [FALLBACK],
  strategy: 'latency',
  latency: { threshold_ms: THRESHOLD_MS, consecutive: CONSECUTIVE, evaluation_interval: '15s' },
  dwell: { min: '15s', hold_down: '135s', multiplier: 1, jitter: 0, max_swaps_per_hour: 20 },
  failback: { consecutive: 3, max_ratio: 2.5, min_probe_samples: 8, ramp: rampOf(method), ramp_step: '15s' },
  probe: method === 'GET' ? { interval: '5s', max_per_hour: 3600, inputs: { id: 'probe' } } : { mode: 'none' },
});

const resource = (kind: string, name: string, spec: object): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind,
  metadata: { name },
  spec,
});

/** Vault entries of both Orbs, with the tokens that the providers take. */
export const secretsOf = (): Readonly<Record<string, string>> =>
  Object.fromEntries(PROVIDERS.map((provider) => [entryOf(provider), TOKENS[provider]]));

/** The manifest of an Orb. */
export const manifestOf = (orb: CalledOrb): object => ({
  orb_id: orb.orbId,
  provider: PRIMARY,
  description: 'Asks one of two providers.',
  effect: orb.method === 'GET' ? 'none' : 'irreversible',
  inputs: { id: { type: 'string', required: true } },
  outputs: { provider: { type: 'string', from: '/body/provider' } },
  execution: executionOf(orb, PRIMARY),
  providers: { [FALLBACK]: { execution: executionOf(orb, FALLBACK) } },
  swap_config: swapConfig(orb),
});

/** Both Orbs, and the Orbiset whose Secrets each go to one provider only. */
export const resources = (): readonly object[] => [
  ...PROVIDERS.map((provider) => secret(provider, { [entryOf(provider)]: TOKENS[provider] })),
  resource('Orbiset', ORBISET, {
    vault: { secrets: PROVIDERS.map((provider) => ({ name: provider, allowedHosts: [hostOf(provider)] })) },
  }),
  ...ORBS.map((orb) => resource('Orb', orb.name, manifestOf(orb))),
];
