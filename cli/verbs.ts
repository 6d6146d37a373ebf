import type { VerbEntry } from './args/verb.ts';
import { policyVerbs } from './policy-verbs.ts';
import { signalVerbs } from './signal-verbs.ts';

/** Every verb, in the order in which the help shows them. Each is imported only when it is used. */
export const verbs: readonly VerbEntry[] = [
  {
    name: 'run',
    summary: 'Executes an Orb and prints its outputs and the summary of its receipt.',
    load: async () => (await import('./run/run.ts')).runVerb,
  },
  {
    name: 'list',
    summary: 'Lists the Orbs that you can run: inputs, outputs, and which secrets are missing.',
    load: async () => (await import('./orbs/orbs-list.ts')).orbsListVerb,
  },
  {
    name: 'show',
    summary: 'Shows an Orb: what it takes and gives, and whether a run may start.',
    load: async () => (await import('./orbs/orbs-show.ts')).orbsShowVerb,
  },
  {
    name: 'status',
    summary:
      'Shows which provider an Orb uses and why, and what you have to do; without an Orb, what works of the platform.',
    load: async () => (await import('./providers/status.ts')).statusVerb,
  },
  {
    name: 'maintenance plan',
    summary: 'Announces maintenance of the platform.',
    load: async () => (await import('./platform/maintenance-plan.ts')).maintenancePlanVerb,
  },
  {
    name: 'maintenance list',
    summary: 'Lists the maintenance of the platform.',
    load: async () => (await import('./platform/maintenance-list.ts')).maintenanceListVerb,
  },
  {
    name: 'maintenance cancel',
    summary: 'Cancels maintenance that has not begun, or ends it.',
    load: async () => (await import('./platform/maintenance-cancel.ts')).maintenanceCancelVerb,
  },
  {
    name: 'swap',
    summary: 'Switches an Orb to another provider, and keeps it there until the pin expires.',
    load: async () => (await import('./providers/swap.ts')).swapVerb,
  },
  {
    name: 'pin remove',
    summary: 'Removes the pin of an Orb: its rules choose the provider again.',
    load: async () => (await import('./providers/pin-remove.ts')).pinRemoveVerb,
  },
  {
    name: 'receipts get',
    summary: 'Prints a receipt, or saves it with all that offline verification needs.',
    load: async () => (await import('./receipts/receipts-get.ts')).receiptsGetVerb,
  },
  {
    name: 'receipts list',
    summary: 'Lists the receipts of your tenant, newest first.',
    load: async () => (await import('./receipts/receipts-list.ts')).receiptsListVerb,
  },
  {
    name: 'verify',
    summary: 'Verifies a receipt, a certificate or a badge, offline, with only the pinned root key of its issuer.',
    load: async () => (await import('./verify/verify.ts')).verifyVerb,
  },
  {
    name: 'reputation explain',
    summary: 'Shows why an Orb has its score and its tier, and what the next tier lacks.',
    load: async () => (await import('./reputation/explain.ts')).explainVerb,
  },
  {
    name: 'reputation recompute',
    summary: 'Computes the score of an Orb from the public log alone, and compares it with the published one.',
    load: async () => (await import('./reputation/recompute.ts')).recomputeVerb,
  },
  {
    name: 'trust add',
    summary: 'Pins the root key of an issuer: orb verify trusts its keys from then on.',
    load: async () => (await import('./trust/trust-add.ts')).trustAddVerb,
  },
  {
    name: 'trust list',
    summary: 'Lists the issuers whose root keys are pinned.',
    load: async () => (await import('./trust/trust-list.ts')).trustListVerb,
  },
  {
    name: 'validate',
    summary: 'Checks manifests, Orbs, Orbisets and Secrets as the loader and the API do.',
    load: async () => (await import('./validate/validate.ts')).validateVerb,
  },
  {
    name: 'test',
    summary: 'Runs the test cases of an Orb: simulated ones here, live ones through the API, and writes the report.',
    load: async () => (await import('./test/test.ts')).testVerb,
  },
  ...policyVerbs,
  ...signalVerbs,
  {
    name: 'publish',
    summary: 'Tests an Orb and publishes this version of it, with the report of the tests.',
    load: async () => (await import('./publish/publish.ts')).publishVerb,
  },
  {
    name: 'marketplace list',
    summary: 'Lists published Orbs with tier and score.',
    load: async () => (await import('./marketplace/marketplace-list.ts')).marketplaceListVerb,
  },
  {
    name: 'marketplace show',
    summary: 'Shows a published Orb: tier, score, status and publisher.',
    load: async () => (await import('./marketplace/marketplace-show.ts')).marketplaceShowVerb,
  },
  {
    name: 'certificate get',
    summary: 'Prints the certificate of a published Orb, or saves it with all that offline verification needs.',
    load: async () => (await import('./certificate/certificate-get.ts')).certificateGetVerb,
  },
  {
    name: 'deprecate',
    summary: 'Takes a published version off the public list, and warns its callers.',
    load: async () => (await import('./lifecycle/lifecycle-verbs.ts')).deprecateVerb,
  },
  {
    name: 'yank',
    summary: 'Takes a published version back for good: certificate revoked, off all lists.',
    load: async () => (await import('./lifecycle/lifecycle-verbs.ts')).yankVerb,
  },
  {
    name: 'restore',
    summary: 'Ends the deprecation of a published version, or for the platform its suspension.',
    load: async () => (await import('./lifecycle/lifecycle-verbs.ts')).restoreVerb,
  },
  {
    name: 'suspend',
    summary: 'Stops a published version, for the platform: new runs are refused.',
    load: async () => (await import('./lifecycle/lifecycle-verbs.ts')).suspendVerb,
  },
  {
    name: 'org claim',
    summary: 'Begins the claim of an organisation by DNS, and prints the TXT record for it.',
    load: async () => (await import('./org/org-claim.ts')).orgClaimVerb,
  },
  {
    name: 'org verify',
    summary: 'Proves the claim of an organisation.',
    load: async () => (await import('./org/org-verify.ts')).orgVerifyVerb,
  },
  {
    name: 'org show',
    summary: 'Shows what is proven of an organisation.',
    load: async () => (await import('./org/org-show.ts')).orgShowVerb,
  },
  {
    name: 'org suspend',
    summary: 'Suspends an organisation with all its Orbs, for the platform.',
    load: async () => (await import('./org/org-status.ts')).orgSuspendVerb,
  },
  {
    name: 'org restore',
    summary: 'Ends the suspension of an organisation, for the platform.',
    load: async () => (await import('./org/org-status.ts')).orgRestoreVerb,
  },
  {
    name: 'log retract',
    summary: 'Takes an entry of the log out of the scores, for the platform.',
    load: async () => (await import('./log/log-retract.ts')).logRetractVerb,
  },
  {
    name: 'dev',
    summary: 'Runs the API here, without a cluster: what npm start does.',
    load: async () => (await import('./dev/dev.ts')).devVerb,
  },
  {
    name: 'example traffic',
    summary: 'Executes the failover example again and again, and shows what callers see every 5 s.',
    load: async () => (await import('./example/example-traffic.ts')).exampleTrafficVerb,
  },
  {
    name: 'example slow',
    summary: 'Makes a provider of the failover example slower.',
    load: async () => (await import('./example/example-verbs.ts')).exampleSlowVerb,
  },
  {
    name: 'example fail',
    summary: 'Makes a provider of the failover example answer with an error.',
    load: async () => (await import('./example/example-verbs.ts')).exampleFailVerb,
  },
  {
    name: 'example heal',
    summary: 'Makes a provider of the failover example work as before.',
    load: async () => (await import('./example/example-verbs.ts')).exampleHealVerb,
  },
  {
    name: 'secrets set',
    summary: 'Stores a secret in the vault of an Orbiset; the value comes from standard input.',
    load: async () => (await import('./secrets/secrets-set.ts')).secretsSetVerb,
  },
  {
    name: 'secrets list',
    summary: 'Lists the secrets of a vault: names and hosts, never values.',
    load: async () => (await import('./secrets/secrets-list.ts')).secretsListVerb,
  },
  {
    name: 'secrets remove',
    summary: 'Removes a secret from the vault of an Orbiset.',
    load: async () => (await import('./secrets/secrets-remove.ts')).secretsRemoveVerb,
  },
  {
    name: 'keys create',
    summary: 'Creates an API key and prints it once.',
    load: async () => (await import('./keys/keys-create.ts')).keysCreateVerb,
  },
  {
    name: 'keys list',
    summary: 'Lists API keys, sorted by expiry.',
    load: async () => (await import('./keys/keys-list.ts')).keysListVerb,
  },
  {
    name: 'keys revoke',
    summary: 'Revokes an API key.',
    load: async () => (await import('./keys/keys-revoke.ts')).keysRevokeVerb,
  },
  {
    name: 'ledger init',
    summary: 'Creates the keys of a platform once, and prints the command that pins their root.',
    load: async () => (await import('./ledger/ledger-init.ts')).ledgerInitVerb,
  },
  {
    name: 'ledger backup',
    summary: 'Copies the embedded ledger while the API runs, and checks the copy.',
    load: async () => (await import('./ledger/ledger-backup.ts')).ledgerBackupVerb,
  },
  {
    name: 'ledger restore',
    summary: 'Replaces the embedded ledger with a backup, while the API is stopped.',
    load: async () => (await import('./ledger/ledger-restore.ts')).ledgerRestoreVerb,
  },
  {
    name: 'ledger adopt',
    summary: 'Starts a new log from the current ledger, when its history is in doubt (503 ledger-forked).',
    load: async () => (await import('./ledger/ledger-adopt.ts')).ledgerAdoptVerb,
  },
  {
    name: 'login',
    summary: 'Saves which API to use, and the key for it.',
    load: async () => (await import('./login/login.ts')).loginVerb,
  },
  {
    name: 'completion',
    summary: 'Prints the script that completes orb in a shell.',
    load: async () => (await import('./completion/completion.ts')).completionVerb,
  },
];
