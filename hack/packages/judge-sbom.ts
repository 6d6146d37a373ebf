import { fieldsOf, listOf, textOf } from '../image/fields.ts';
import { lockedPackages, otherwiseLicensed } from '../image/locked-packages.ts';

const hexOf = (integrity: string): string => Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex');

/**
 * What is wrong with the CycloneDX list of `npm sbom`: a package that programs load is missing, or has another digest than
 * in the lock, or no licence. `npm sbom --omit dev` leaves out packages that the development uses as well.
 * @param sbom without `--omit`, parsed
 * @param lock package-lock.json, parsed
 * @returns one line each, none when all is well
 */
export function judgeSbom(sbom: unknown, lock: unknown): readonly string[] {
  if (textOf(fieldsOf(sbom)['bomFormat']) !== 'CycloneDX') return ['npm sbom printed no CycloneDX list'];
  const listed = new Map(
    listOf(fieldsOf(sbom)['components']).map((each) => [`${textOf(each['name'])}@${textOf(each['version'])}`, each]),
  );
  return lockedPackages(lock)
    .filter(({ dev }) => !dev)
    .flatMap(({ shown, integrity }) => {
      const component = listed.get(shown);
      if (component === undefined) return [`${shown} is not in the SBOM`];
      const digests = listOf(component['hashes']).filter(({ alg }) => alg === 'SHA-512');
      const isSame = digests.some(({ content }) => content === hexOf(integrity));
      const isLicensed = listOf(component['licenses']).length > 0 || otherwiseLicensed(shown) !== '';
      return [
        ...(isSame ? [] : [`${shown} has another digest in the SBOM than in package-lock.json`]),
        ...(isLicensed ? [] : [`${shown} has no licence in the SBOM`]),
      ];
    });
}
