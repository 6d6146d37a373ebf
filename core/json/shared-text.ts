/** Stands in the shared part of a text where a part of its own follows. JSON text has it in no place. */
export const HOLE = '\u0001';

/** Between shared parts that are stored apart, because they change apart. JSON text has it in no place. */
export const SEAM = '\u0002';

/**
 * A JSON text most of which stands in many others too. Its whole is `shared` without seams, with the parts of `own` in
 * the holes. A store keeps each shared part once.
 */
export interface SharedText {
  /** At least one hole. */
  readonly shared: string;
  /** A part for each hole, in their order. */
  readonly own: readonly string[];
}

/** @param parts texts around the holes: one more than `own` */
export function fillHoles(parts: readonly string[], own: readonly string[]): string {
  let whole = parts[0] ?? '';
  for (let index = 0; index < own.length; index += 1) whole += `${own[index] ?? ''}${parts[index + 1] ?? ''}`;
  return whole;
}

/**
 * As `fillHoles`, for parts that are joined by `HOLE`.
 * @param from where they begin in `joined`
 * @returns undefined: there are not as many as holes
 */
export function fillJoined(parts: readonly string[], joined: string, from: number): string | undefined {
  let whole = parts[0] ?? '';
  let at = from;
  for (let index = 1; index < parts.length; index += 1) {
    const next = joined.indexOf(HOLE, at);
    const isLast = index === parts.length - 1;
    if (next < 0 !== isLast) return undefined;
    whole += joined.slice(at, isLast ? joined.length : next) + (parts[index] ?? '');
    at = next + HOLE.length;
  }
  return parts.length < 2 ? undefined : whole;
}

/** Texts around the holes of a shared text. */
export const partsAround = (shared: string): readonly string[] => shared.replaceAll(SEAM, '').split(HOLE);

export const wholeText = ({ shared, own }: SharedText): string => fillHoles(partsAround(shared), own);
