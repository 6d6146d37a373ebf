import type { KnownOrbs } from '../../cli/completion/known-orbs.ts';

/** Completion without a server. */
export const NO_ORBS: KnownOrbs = { ids: async () => [], inputs: async () => [] };
