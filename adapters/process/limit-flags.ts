import type { RateLimit } from '../../core/rate-limit/rate.ts';
import { valueOf, type Args } from './arguments.ts';
import type { DefaultFlag } from './flag.ts';
import { asNumber, asRateLimit } from './flag-values.ts';

/** How much callers may use of one API process (security.md S15). */
export interface UseLimits {
  readonly rates: {
    readonly key: RateLimit;
    readonly tenant: RateLimit;
    readonly orb: RateLimit;
    readonly address: RateLimit;
    readonly process: RateLimit;
    readonly refusals: RateLimit;
  };
  /** Percent of what others leave that one tenant may have of runs in flight, slots and waiting places. */
  readonly tenantPct: number;
  /** Bytes of the ledger that one tenant may fill with runs; 0: no limit. */
  readonly ledgerQuotaBytes: number;
}

const rateFlag = (name: string, text: string, fallback: string): DefaultFlag<RateLimit> => ({
  name: `rate-${name}`,
  value: 'N[:BURST]',
  text: `${text} a second, and at once; 0: no limit`,
  fallback,
  parse: asRateLimit,
});

/** Flags of the API, on a cluster and in standalone. A flag more is a line here, and one of `useLimitsOf`. */
export const USE_LIMITS = {
  rateKey: rateFlag('key', 'requests of an API key or ServiceAccount', '100:200'),
  rateTenant: rateFlag('tenant', 'runs of a tenant', '1000:2000'),
  rateOrb: rateFlag('orb', 'runs of an Orb, of all tenants together', '2000:4000'),
  rateAddress: rateFlag(
    'address',
    'requests without a valid key of an address, or of an IPv6 network (/64),',
    '20:100',
  ),
  rateProcess: rateFlag('process', 'requests of all callers', '5000:10000'),
  rateRefusals: rateFlag(
    'refusals',
    'refusals that are sent, and more of them wait: by a rate, without a key or route,',
    '500:100',
  ),
  tenantShare: {
    name: 'tenant-share',
    value: 'PERCENT',
    text: 'most that one tenant may have of what others leave: of runs in flight, of slots of an Orb or origin; 100: all',
    fallback: '75',
    parse: asNumber(1, 100),
  },
  ledgerQuota: {
    name: 'ledger-quota',
    value: 'BYTES',
    text: 'bytes of the ledger at which new runs of a tenant are refused; 0: no limit',
    fallback: '0',
    parse: asNumber(0, 999_999_999_999_999),
  },
} as const satisfies Readonly<Record<string, DefaultFlag<unknown>>>;

/** The same flags; a program may have other defaults. */
type UseFlags = {
  readonly [Name in keyof typeof USE_LIMITS]: DefaultFlag<ReturnType<(typeof USE_LIMITS)[Name]['parse']>>;
};

/** @param oneAddress all callers have one address: there is no rate by address then */
export const useLimitsOf = (args: Args, flags: UseFlags, oneAddress = false): UseLimits => ({
  rates: {
    key: valueOf(args, flags.rateKey),
    tenant: valueOf(args, flags.rateTenant),
    orb: valueOf(args, flags.rateOrb),
    address: oneAddress ? 'none' : valueOf(args, flags.rateAddress),
    process: valueOf(args, flags.rateProcess),
    refusals: valueOf(args, flags.rateRefusals),
  },
  tenantPct: valueOf(args, flags.tenantShare),
  ledgerQuotaBytes: valueOf(args, flags.ledgerQuota),
});
