import { openDiskFixture } from '../../../support/sqlite-ledger.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('SQLite', openDiskFixture);
