import type { BadgeState } from '../../../core/badge/badge-face.ts';
import { parseOrbId } from '../../../core/manifest/orb-id.ts';
import { isSuspended, storedCredential } from './certificate-view.ts';
import type { ReputationReader, Standing } from '../../reputation/reputation-reader.ts';

const NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const MAX_NAME = 253;

/** The version that a path means: one that it names, or the highest active one of a name. */
async function versionOf(reader: ReputationReader, text: string): Promise<string | undefined> {
  const id = parseOrbId(text);
  if (id.ok) return id.value;
  return text.length <= MAX_NAME && NAME.test(text) ? reader.highestActive(text) : undefined;
}

/** What the badge of a published version shows: its certificate when one is in force, else why none is. */
async function stateOf(reader: ReputationReader, standing: Standing, now: number): Promise<BadgeState> {
  if (isSuspended(standing)) return { kind: 'suspended' };
  if (standing.status === 'yanked') return { kind: 'yanked' };
  const issued = standing.tier === 'uncertified' ? undefined : await reader.certificateOf(standing.orbId);
  if (issued === undefined || issued.revoked) return { kind: 'uncertified' };
  const credential = storedCredential(issued);
  if (now > Date.parse(credential.validUntil)) return { kind: 'expired' };
  return { kind: 'certified', credential, jwt: issued.jwt };
}

/** The state of the badge for the id in a path; `unknown` when nothing is published under it. */
export async function badgeStateOf(reader: ReputationReader, text: string, now: number): Promise<BadgeState> {
  const orbId = await versionOf(reader, text);
  const standing = orbId === undefined ? undefined : await reader.standing(orbId);
  return standing === undefined ? { kind: 'unknown' } : stateOf(reader, standing, now);
}
