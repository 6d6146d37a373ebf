import { fieldsOf, textOf } from './fields.ts';

/** Packages whose manifest has no licence, and the one of the file LICENSE beside it. */
const OTHERWISE_LICENSED: Readonly<Record<string, string>> = { 'color-convert@0.5.3': 'MIT' };

const PLACE = 'node_modules/';

/** An entry of package-lock.json. */
export interface LockedPackage {
  readonly name: string;
  /** `name@version`. */
  readonly shown: string;
  /** SPDX expression; empty: the lock names no licence. */
  readonly licence: string;
  /** `sha512-…`, as the lock has it. */
  readonly integrity: string;
  /** Only the development needs it. */
  readonly dev: boolean;
  readonly fields: ReturnType<typeof fieldsOf>;
}

/** The licence of a package whose manifest names none. @param shown `name@version` */
export const otherwiseLicensed = (shown: string): string => OTHERWISE_LICENSED[shown] ?? '';

/** Every package of the lock, nested ones too. @param lock package-lock.json, parsed */
export const lockedPackages = (lock: unknown): readonly LockedPackage[] =>
  Object.entries(fieldsOf(fieldsOf(lock)['packages']))
    .filter(([path]) => path !== '')
    .map(([path, value]) => {
      const fields = fieldsOf(value);
      const name = path.slice(path.lastIndexOf(PLACE) + PLACE.length);
      const shown = `${name}@${textOf(fields['version'])}`;
      const licence = textOf(fields['license']) || otherwiseLicensed(shown);
      return { name, shown, licence, integrity: textOf(fields['integrity']), dev: fields['dev'] === true, fields };
    });
