import type { Verb } from './args/verb.ts';
import { completionVerb } from './completion/completion.ts';
import { devVerb } from './dev/dev.ts';
import { exampleTrafficVerb } from './example/example-traffic.ts';
import { exampleFailVerb, exampleHealVerb, exampleSlowVerb } from './example/example-verbs.ts';
import { keysCreateVerb } from './keys/keys-create.ts';
import { keysListVerb } from './keys/keys-list.ts';
import { keysRevokeVerb } from './keys/keys-revoke.ts';
import { ledgerAdoptVerb } from './ledger/ledger-adopt.ts';
import { ledgerBackupVerb } from './ledger/ledger-backup.ts';
import { ledgerInitVerb } from './ledger/ledger-init.ts';
import { ledgerRestoreVerb } from './ledger/ledger-restore.ts';
import { loginVerb } from './login/login.ts';
import { pinRemoveVerb } from './providers/pin-remove.ts';
import { statusVerb } from './providers/status.ts';
import { swapVerb } from './providers/swap.ts';
import { receiptsGetVerb } from './receipts/receipts-get.ts';
import { receiptsListVerb } from './receipts/receipts-list.ts';
import { runVerb } from './run/run.ts';
import { secretsListVerb } from './secrets/secrets-list.ts';
import { secretsRemoveVerb } from './secrets/secrets-remove.ts';
import { secretsSetVerb } from './secrets/secrets-set.ts';
import { trustAddVerb } from './trust/trust-add.ts';
import { trustListVerb } from './trust/trust-list.ts';
import { validateVerb } from './validate/validate.ts';
import { verifyVerb } from './verify/verify.ts';

/** Every verb, in the order in which the help shows them. */
export const verbs: readonly Verb[] = [
  runVerb,
  statusVerb,
  swapVerb,
  pinRemoveVerb,
  receiptsGetVerb,
  receiptsListVerb,
  verifyVerb,
  trustAddVerb,
  trustListVerb,
  validateVerb,
  devVerb,
  exampleTrafficVerb,
  exampleSlowVerb,
  exampleFailVerb,
  exampleHealVerb,
  secretsSetVerb,
  secretsListVerb,
  secretsRemoveVerb,
  keysCreateVerb,
  keysListVerb,
  keysRevokeVerb,
  ledgerInitVerb,
  ledgerBackupVerb,
  ledgerRestoreVerb,
  ledgerAdoptVerb,
  loginVerb,
  completionVerb,
];
