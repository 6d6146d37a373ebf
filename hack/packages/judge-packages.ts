import { fieldsOf, textOf } from '../image/fields.ts';
import { lockedPackages, type LockedPackage } from '../image/locked-packages.ts';

/** What is checked, as the files hold it. */
export interface PackageFiles {
  /** package.json, parsed. */
  readonly manifest: unknown;
  /** package-lock.json, parsed. */
  readonly lock: unknown;
  /** Text of docs/design/packages.md. */
  readonly reasons: string;
}

/** More need a decision (security.md S22). */
const MOST_DIRECT = 12;
const EXACT = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

/** Licences that let a program ship with the package, without a duty beyond naming it. */
const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);
/** Licences with a duty for who passes the package on: good for tools of the development, which are in no image. */
const OF_TOOLS: ReadonlySet<string> = new Set(['MPL-2.0']);
/** Packages with an install script. It is never run: `--ignore-scripts`. */
const WITH_SCRIPT: ReadonlySet<string> = new Set(['node']);

/** Every licence of an SPDX expression; alternatives too, so that nobody has to choose. */
const licencesIn = (expression: string): readonly string[] =>
  expression
    .replaceAll(/[()]/g, ' ')
    .split(/\s+(?:AND|OR)\s+|\s+/)
    .filter((part) => part !== '');

function lockFaults({ name, shown, licence, integrity, dev, fields }: LockedPackage): readonly string[] {
  const unknown = licencesIn(licence).filter((one) => !LICENCES.has(one) && !(dev && OF_TOOLS.has(one)));
  return [
    ...(SHA512.test(integrity) ? [] : [`${shown} has no SHA-512 in package-lock.json`]),
    ...(fields['resolved'] === undefined ? [] : [`${shown} names where it comes from: see .npmrc`]),
    ...(fields['hasInstallScript'] === true && !WITH_SCRIPT.has(name) ? [`${shown} has an install script`] : []),
    ...(licence === '' ? [`${shown} names no licence`] : []),
    ...unknown.map((one) => `${shown} has the licence ${one}, which nobody has looked at`),
  ];
}

/** The first cells of the rows of the table: packages in code font. */
const explained = (reasons: string): readonly string[] =>
  [...reasons.matchAll(/^\| `([^`]+)` +\| \S/gm)].flatMap(([, name]) => name ?? []);

function directFaults({ manifest, reasons }: PackageFiles): readonly string[] {
  const { dependencies, devDependencies, optionalDependencies } = fieldsOf(manifest);
  const direct = [...Object.keys(fieldsOf(dependencies)), ...Object.keys(fieldsOf(optionalDependencies))];
  const named = explained(reasons);
  const ranges = Object.entries({
    ...fieldsOf(dependencies),
    ...fieldsOf(optionalDependencies),
    ...fieldsOf(devDependencies),
  });
  return [
    ...(direct.length > MOST_DIRECT
      ? [`${direct.length} direct packages; at most ${MOST_DIRECT} (security.md S22)`]
      : []),
    ...direct.filter((name) => !named.includes(name)).map((name) => `${name} has no reason in docs/design/packages.md`),
    ...named
      .filter((name) => !direct.includes(name))
      .map((name) => `docs/design/packages.md explains ${name}, which is not used`),
    ...ranges
      .filter(([, range]) => !EXACT.test(textOf(range)))
      .map(([name, range]) => `${name} is not pinned: ${textOf(range)}`),
  ];
}

/** What is wrong with the packages of the project (security.md S22): one line each, none when all is well. */
export const judgePackages = (files: PackageFiles): readonly string[] => [
  ...directFaults(files),
  ...lockedPackages(files.lock).flatMap(lockFaults),
];
