import type { Credential } from '../certificate/credential.ts';

/** What a badge says: it shows a certificate in force, or why there is none. */
export type BadgeState =
  | {
      readonly kind: 'certified';
      readonly credential: Credential;
      /** The signed certificate, which is put into the image. */
      readonly jwt: string;
    }
  | { readonly kind: 'uncertified' | 'suspended' | 'yanked' | 'expired' | 'unknown' };

/** Visible content of a badge. */
export interface BadgeFace {
  readonly label: string;
  readonly message: string;
  /** Fill behind the message, `#rrggbb`; white text on it has a contrast of at least 4.5:1 in every style. */
  readonly color: string;
  /** Text for screen readers, and the tooltip. */
  readonly title: string;
}

const LABEL = 'orb certified';

/** Fills of trust.md §6.2. */
const TIER_FILLS = { platinum: '#2c6b7f', gold: '#886308', silver: '#4f6b8a', bronze: '#a0522d' } as const;
const AT_RISK = '#b04a00';
const GREY = '#696969';
const RED = '#c0392b';

const OTHER_FILLS = { uncertified: GREY, unknown: GREY, suspended: RED, yanked: RED, expired: RED } as const;

/** The state stands in the text too: a colour alone says nothing to many readers. */
export function faceOf(state: BadgeState): BadgeFace {
  if (state.kind !== 'certified') {
    return { label: LABEL, message: state.kind, color: OTHER_FILLS[state.kind], title: `${LABEL}: ${state.kind}` };
  }
  const { tier, tier_status: status, reputation_score: score, evidence } = state.credential.credentialSubject;
  const isAtRisk = status === 'at_risk';
  const message = `${tier} ${score}${isAtRisk ? ' at risk' : ''}`;
  return {
    label: LABEL,
    message,
    color: isAtRisk ? AT_RISK : TIER_FILLS[tier],
    title: `${LABEL}: ${message}, as of ${evidence.as_of}`,
  };
}
