import { readEntry } from '../log-entry/entry.ts';
import type { TierChange } from './profile.ts';

/** Entries of the kind `tier_change`, as the ledger gives them. Texts of other kinds are left out. */
export const tierChangesOf = (
  placed: readonly { readonly index: number; readonly entry: string }[],
): readonly TierChange[] =>
  placed.flatMap(({ index, entry: text }) => {
    const entry = readEntry(text);
    return entry?.kind === 'tier_change' ? [{ index, entry }] : [];
  });
