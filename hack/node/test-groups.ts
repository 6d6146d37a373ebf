/** How `npm run e2e` divides its test files between two clusters that run beside each other on two cores. */

const fileOf = (name: string): string => `test/e2e/${name}.test.ts`;

/**
 * These tests need the same release with its example, and don't change it. Run one after the other, they install it
 * once; otherwise each could follow a test that removes it.
 */
const WITH_EXAMPLE = ['admission', 'example', 'in-cluster-caller', 'kubectl-orb', 'network-policy'];
/** 50 runs a second, with limits on times: these begin when the second cluster has come to the tests that mostly wait. */
const UNDER_LOAD = ['kill', 'rolling-restart', 'upgrade', 'kill-switch'];
const inOrder = [...WITH_EXAMPLE, ...UNDER_LOAD].map(fileOf);

/** Every test file that there is, as arguments of mocha: the named ones first. */
export const ALL: readonly string[] = [...inOrder, 'test/e2e/**/*.test.ts'];

/**
 * The files of the second cluster, in their order. They take as long as all others together, which are those of the
 * first: a new file too. Those that build an image stay on the first, because builds share their storage.
 */
export const SECOND: readonly string[] = [
  'behind-tls-proxy',
  'backup-and-restore',
  // These two mostly wait, for six minutes.
  'failover',
  'footprint',
  'reboot',
  'uninstall',
].map(fileOf);

/** It needs no cluster and uses a core for three minutes: it runs beside the first tests, which have no limits on times. */
export const IMAGE_BUILD: readonly string[] = [fileOf('image-build')];

/** Arguments of mocha for all files but those. */
export const allBut = (files: readonly string[]): readonly string[] => [
  ...ALL,
  ...files.flatMap((file) => ['--ignore', file]),
];
