import type { MissingEntry, VaultStatus } from '../../crds/status.ts';
import type { WantedCondition } from '../reconcile/conditions.ts';
import type { OrbId } from '../manifest/orb-id.ts';
import type { VaultReport } from './compile-orbiset.ts';

/** The part of an Orbiset's status that the API owns (security.md §6.1). */
export interface VaultStatusPart {
  readonly vault: Required<VaultStatus>;
  readonly conditions: readonly WantedCondition[];
}

/** Location of an Orbiset, for the status. */
interface Place {
  readonly namespace: string;
}

/** An entry of a vault, and one Orb of its Orbiset with a URL that carries the entry. */
export interface EntryInUrl {
  readonly entry: string;
  readonly orbId: OrbId;
}

/** Type of the condition about secrets in URLs (security.md S2). */
export const SECRET_IN_URL = 'SecretInUrl';

// The schema's bound.
const MAX_NAMES = 1024;
// Names are up to 253 characters long, and a message is at most 1 KiB (security.md S10).
const MAX_LISTED = 3;

// The first that applies becomes the condition's reason. `Forbidden` comes first: it prevents reading Secrets at
// all.
const REASONS = ['Forbidden', 'SecretNotFound', 'KeyMissing', 'DuplicateEntry'] as const;

function textOf({ secret, entry, reason }: MissingEntry, { namespace }: Place): string {
  switch (reason) {
    case 'Forbidden':
      return `the Secret ${secret} may not be read: the namespace ${namespace} needs the RoleBinding orb-vault-reader`;
    case 'SecretNotFound':
      return `there is no Secret ${secret} in ${namespace}: create it`;
    case 'KeyMissing':
      return `the Secret ${secret} has no UTF-8 value for the entry ${entry ?? ''}: add it`;
    case 'DuplicateEntry':
      return `the entry ${entry ?? ''} of the Secret ${secret} comes from two Secrets: rename one with keys`;
    default:
      return reason satisfies never;
  }
}

function some(texts: readonly string[]): string {
  const more = texts.length - MAX_LISTED;
  return `${texts.slice(0, MAX_LISTED).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function vaultReady({ missing }: VaultReport, place: Place): WantedCondition {
  const type = 'VaultReady';
  const reason = REASONS.find((known) => missing.some((item) => item.reason === known));
  if (reason === undefined)
    return { type, status: 'True', reason: 'VaultComplete', message: 'Every bound entry exists.' };
  const first = missing.filter((item) => item.reason === reason);
  const others = missing.filter((item) => item.reason !== reason);
  const message = capital(some([...first, ...others].map((item) => textOf(item, place))));
  return { type, status: 'False', reason, message };
}

/** An abnormal-true condition: present only while it holds. */
const about = (type: string, reason: string, names: readonly string[], text: string): readonly WantedCondition[] =>
  names.length === 0 ? [] : [{ type, status: 'True', reason, message: `${some(names).slice(0, -1)}: ${text}` }];

/** The names come last, because a message over 1 KiB loses its end. */
function secretInUrl(inUrls: readonly EntryInUrl[]): readonly WantedCondition[] {
  if (inUrls.length === 0) return [];
  const names = inUrls.map(({ entry, orbId }) => `${entry} of ${orbId}`);
  const message = `Proxies and providers may log a URL, so use a header for the secret: ${some(names)}`;
  return [{ type: SECRET_IN_URL, status: 'True', reason: 'SecretInUrl', message }];
}

/**
 * The vault's part of the status: entry names and what is missing, never values.
 * @param inUrls the entries that URLs carry; empty also while they are not known
 */
export function vaultStatus(report: VaultReport, inUrls: readonly EntryInUrl[], place: Place): VaultStatusPart {
  const { entries, missing, trimmed, unscrubbable } = report;
  return {
    vault: { entries: entries.slice(0, MAX_NAMES), missing: missing.slice(0, MAX_NAMES) },
    conditions: [
      vaultReady(report, place),
      ...about(
        'TrailingNewline',
        'TrailingNewline',
        trimmed,
        'one newline at the end is not sent; write the value without it.',
      ),
      ...about(
        'UnscrubbableSecret',
        'TooShort',
        unscrubbable,
        'can not be redacted from answers: shorter than 8 bytes, or too long.',
      ),
      ...secretInUrl(inUrls),
    ],
  };
}
