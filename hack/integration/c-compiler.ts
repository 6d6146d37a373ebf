import type { Say } from '../control-plane/build.ts';
import { ensurePackages } from '../image/buildah.ts';

/** Debian package → a program that is missing without it. */
const PACKAGES = { gcc: 'cc', 'libc6-dev': 'cc' } as const;

/**
 * Installs the C compiler that `test/support/disk-faults` needs, unless one is installed.
 * @param isCi a machine without a compiler is an error, because its tests would be skipped unseen
 * @throws Error in CI: it can't be installed
 */
export async function ensureCompiler(say: Say, isCi = process.env['CI'] === 'true'): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    await ensurePackages(PACKAGES, say);
  } catch (error) {
    if (isCi) throw error;
    say(
      `No C compiler (${error instanceof Error ? error.message : String(error)}): the tests of a faulty disk are skipped.`,
    );
  }
}
