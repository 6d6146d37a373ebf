/** Thumbprints of the Ed25519 keys of the published test vectors: their private halves are known to everybody. */
const TEST_KIDS: ReadonlySet<string> = new Set([
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  'IpgXOrtTtqJU2N8RmSdZLiTsR0Tc0VV6RBL_p4B-t5o',
  'RJE9rDe3Uwu4yADb2qIcVjTtnHDWy8OjdxF3l1WD7ZM',
  'y3Fg2-xVO_ZbafK5KRnHLbf180c9tvRDKF4-gwJw0Ko',
  'Ydt4-gVAKz5C4pvjaP2YeRpEiU1rLUPkBm8cJ7Y9UKo',
  'zvtS9PMqK-W51RklTbn1sWfcPAgPuObuv6CRXRKxFnE',
  'w5V1nV44d4gXncA7L3AUsOf17qq0_Tw-yK-ung3zX5Q',
  'oTUnGVIWhhqfg1S_rg-g92HkG3NmpID9tWMirRkJ2PM',
]);

/** True for a key that no service may run with (trust.md §3.1). */
export const isTestKey = (kid: string): boolean => TEST_KIDS.has(kid);
