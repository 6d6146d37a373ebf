import { lineOf } from '../../core/reputation/line.ts';
import type { Listings } from './listings.ts';

export interface LineParts {
  readonly listings: Pick<Listings, 'all'>;
  /** Evaluates a version soon. */
  readonly changed: (orbId: string) => void;
}

/** Evaluates each version of a line soon: they share their evidence. @param line `lineOf` of one of them */
export function evaluateLine(line: string, { listings, changed }: LineParts): void {
  for (const { orbId } of listings.all()) if (lineOf(orbId) === line) changed(orbId);
}
