import { CONNECTION_ATTACKS, type Attack } from './connection-attacks.ts';
import { REQUEST_ATTACKS } from './request-attacks.ts';

/** What the first tenant does while the second one is measured; `share` is what all others are compared with. */
export const ATTACKS = { ...CONNECTION_ATTACKS, ...REQUEST_ATTACKS };

export type AttackName = keyof typeof ATTACKS;

export const isAttack = (name: string): name is AttackName => Object.hasOwn(ATTACKS, name);

export const attackOf = (name: string): { readonly what: string; readonly run: Attack } => {
  if (!isAttack(name)) throw new RangeError(`there is no attack "${name}": ${Object.keys(ATTACKS).join(', ')}`);
  return ATTACKS[name];
};
