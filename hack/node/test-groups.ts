/** How `npm run e2e` divides its test files between two clusters that run beside each other on two cores. */

const fileOf = (name: string): string => `test/e2e/${name}.test.ts`;

/**
 * These tests need the same release with its example, and don't change it. Run one after the other, they install it
 * once; otherwise each could follow a test that removes it.
 */
const WITH_EXAMPLE = ['admission', 'example', 'in-cluster-caller', 'kubectl-orb', 'network-policy'];
/** 50 calls a second: they run while the other cluster measures what mostly waits. */
const BUSY = ['backup-and-restore', 'rolling-restart', 'kill-switch', 'upgrade'];
const inOrder = [...WITH_EXAMPLE, ...BUSY].map(fileOf);

/** Every test file that there is, as arguments of mocha: the named ones first. */
export const ALL: readonly string[] = [...inOrder, 'test/e2e/**/*.test.ts'];

/**
 * The files of the second cluster. They take as long as all others together, which are those of the first: a new file
 * too. The first two mostly wait. None builds an image: the first cluster's do, and two at once would disturb each other.
 */
export const SECOND: readonly string[] = ['footprint', 'failover', 'reboot', 'kill'].map(fileOf);

/** It needs no cluster: it runs beside the first tests, which measure no times. */
export const IMAGE_BUILD: readonly string[] = [fileOf('image-build')];

/** Arguments of mocha for all files but those. */
export const allBut = (files: readonly string[]): readonly string[] => [
  ...ALL,
  ...files.flatMap((file) => ['--ignore', file]),
];
