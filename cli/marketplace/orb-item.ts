import type { JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { table, textAt, textsAt } from '../io/output.ts';

/** `gold`, or `gold at risk`. */
const tierOf = (item: JsonValue): string => {
  const status = textAt(item, 'tier_status');
  const tier = textAt(item, 'certification_tier');
  return status === 'stable' || status === '' ? tier : `${tier} ${status.replaceAll('_', ' ')}`;
};

export const ITEM_HEAD = ['ORB', 'TIER', 'SCORE', 'STATUS', 'VERIFIED', 'DESCRIPTION'];

const MAX_DESCRIPTION = 60;

const shortened = (text: string): string =>
  text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;

/** An item of the list, under `ITEM_HEAD`. */
export const itemRow = (item: JsonValue): readonly string[] => [
  textAt(item, 'orb_id'),
  tierOf(item),
  textAt(item, 'reputation_score'),
  textAt(item, 'status'),
  member(member(item, 'publisher'), 'verified') === true ? 'yes' : 'no',
  shortened(textAt(item, 'description')),
];

function publisherText(item: JsonValue): string {
  const publisher = member(item, 'publisher');
  const org = textAt(publisher, 'org');
  if (member(publisher, 'verified') !== true) return `${org}, not verified`;
  return `${org}, verified by ${textAt(publisher, 'proof')} since ${textAt(publisher, 'since')}`;
}

/** An item of the list with all its members. */
export function itemText(item: JsonValue): string {
  return table([
    ['orb', textAt(item, 'orb_id')],
    ['description', textAt(item, 'description')],
    ['tier', tierOf(item)],
    [
      'score',
      `${textAt(item, 'reputation_score')} (${textAt(item, 'score_bp')} of 10000), confidence ${textAt(item, 'confidence')}`,
    ],
    ['status', textAt(item, 'status')],
    ['publisher', publisherText(item)],
    ['capabilities', textsAt(item, 'capabilities')],
    ['provider', textAt(item, 'provider')],
    ['digest', textAt(item, 'manifest_digest')],
    ['published', textAt(item, 'published_at')],
    ['updated', textAt(item, 'updated_at')],
  ]);
}
