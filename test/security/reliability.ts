import type { SecurityTest } from './requirements.ts';

/** One step of a scenario, with what shows it. */
interface Step {
  readonly what: string;
  readonly tests: readonly SecurityTest[];
  /** Verbs that do the same more often or for longer. */
  readonly verbs?: readonly string[];
  /** What a verb has measured. */
  readonly figures?: string;
  /** What is not shown; absent: the whole step is. */
  readonly lacks?: string;
}

const U = 'test/unit';
const I = 'test/integration';
const KILLED: SecurityTest = [`${I}/standalone/kill.test.ts`, 'a platform whose process group is killed under load'];
const KILLED_POLICIES: SecurityTest = [
  `${I}/standalone/kill-policies.test.ts`,
  'has the decision and the one receipt of every denied run',
];
const STEPS: SecurityTest = [`${I}/standalone/kill-steps.test.ts`, 'keeps a run whole, open or not at all'];
const DISK = `${I}/standalone/disk-faults.test.ts`;
const AT_STEPS = 'npm run chaos steps';
const ANY_MOMENT = 'npm run chaos kill';
const AIMED = 'npm run chaos policies';

/** What `npm run chaos steps` has shown at a step. @param swept runs that the sweeper closed */
const hit = (kills: number, swept: number): string =>
  `${kills} kills that hit: no acknowledged receipt lost, one receipt a run, ${swept} closed by the sweeper`;

/** The scenarios of docs/design/reliability.md §4 that security rests on, step by step. */
export const SCENARIOS: Readonly<Record<string, readonly Step[]>> = {
  R9: [
    { what: 'kill −9 when the caller is authenticated', tests: [STEPS], verbs: [AT_STEPS], figures: hit(50, 0) },
    {
      what: 'kill −9 when policies have decided',
      tests: [STEPS, KILLED_POLICIES],
      verbs: [AT_STEPS, AIMED],
      figures: hit(50, 0),
    },
    {
      what: 'kill −9 before and after the commit of the start',
      tests: [STEPS],
      verbs: [AT_STEPS, ANY_MOMENT],
      figures: hit(50, 24),
    },
    { what: 'kill −9 when the provider has the request', tests: [STEPS], verbs: [AT_STEPS], figures: hit(50, 50) },
    { what: 'kill −9 when the provider has sent its headers', tests: [STEPS], verbs: [AT_STEPS], figures: hit(50, 50) },
    { what: 'kill −9 in the body of the answer', tests: [STEPS], verbs: [AT_STEPS], figures: hit(50, 50) },
    {
      what: 'kill −9 before the row of the receipt, before its commit and after it',
      tests: [STEPS],
      verbs: [AT_STEPS, ANY_MOMENT],
      figures: hit(50, 35),
    },
    {
      what: 'kill −9 between the commit and the answer to the caller',
      tests: [STEPS],
      verbs: [AT_STEPS],
      figures: hit(50, 0),
    },
    {
      what: 'repeated with the same `Idempotency-Key` after the kill: sent at most once, and always one receipt',
      tests: [STEPS, [`${U}/api-server/run/idempotency.test.ts`, 'has an answer after a crash: that of the sweeper']],
      verbs: [AT_STEPS],
    },
    {
      what: 'the same key at another path',
      tests: [[`${U}/adapters/ledger/contract/idempotency.ts`, 'keeps tenants, paths and keys apart']],
    },
    {
      what: 'open runs are closed within 75 s after their time',
      tests: [[`${U}/api-server/run/sweeper.test.ts`, 'closes a lost run 60 s after its deadline and not before']],
      verbs: [AT_STEPS, ANY_MOMENT, AIMED],
    },
    {
      what: 'kill −9 at every step of publishing',
      tests: [[`${I}/standalone/kill-publish.test.ts`, 'has done each act once and whole']],
      verbs: ['npm run chaos publish'],
    },
    {
      what: 'kill −9 between the row of a webhook and its mapping',
      tests: [[`${I}/standalone/kill-ingestion.test.ts`, 'maps every delivery once']],
      verbs: ['npm run chaos ingestion'],
    },
  ],
  R15: [
    {
      what: 'fsync fails: nothing is acknowledged, and it heals',
      tests: [[DISK, 'acknowledges nothing while syncs fail']],
    },
    {
      what: 'power lost, and a write torn by it: nothing acknowledged is lost',
      tests: [
        [DISK, 'loses no acknowledged receipt with the power'],
        [DISK, 'loses no acknowledged receipt when the power loss tears'],
      ],
    },
    {
      what: 'fsync skipped, then power lost: no second log over what the head outside knows',
      tests: [[DISK, 'refuses runs when a disk that only said it had synced']],
      lacks: 'what was signed in the last 15 s: the head outside does not know it yet',
    },
    {
      what: 'disk full: runs are refused, reads go on, it heals',
      tests: [
        [`${I}/ledger/full-disk.test.ts`, 'a ledger on a full disk'],
        [`${I}/standalone/life.test.ts`, 'a standalone whose disk is full'],
        [`${U}/adapters/ledger/sqlite-writer/writer.test.ts`, 'rolls back a group that the disk has no room for'],
        [`${U}/adapters/telemetry/line-limit.test.ts`, 'writes three lines of a cause'],
      ],
    },
    {
      what: 'file system read-only',
      tests: [
        [`${U}/adapters/ledger/sqlite-writer/writer.test.ts`, 'says that its file system is read-only'],
        [`${I}/standalone/read-only-disk.test.ts`, 'refuses runs with 503 and a few log lines'],
        [`${I}/standalone/read-only-disk.test.ts`, 'has all that it acknowledged when the disk is checked'],
      ],
    },
    {
      what: 'a byte that changed on the disk is found, and never signed over',
      tests: [
        [`${U}/adapters/ledger/sqlite-writer/check-head.test.ts`, 'checkHead'],
        [`${U}/adapters/ledger/sqlite-check/check-file.test.ts`, 'checkFile'],
        [`${U}/api-server/log-head/ledger-checks.test.ts`, 'LedgerChecks'],
        [`${U}/api-server/log-head/damaged-log.test.ts`, 'a log that was damaged'],
        [`${I}/standalone/damaged-ledger.test.ts`, 'a standalone ledger that its disk has changed'],
      ],
    },
    {
      what: 'WAL deleted, running and stopped',
      tests: [
        [`${I}/standalone/damaged-ledger.test.ts`, 'notices that its WAL was deleted after a kill'],
        [`${I}/standalone/damaged-ledger.test.ts`, 'acknowledges nothing after its WAL was deleted under it'],
      ],
    },
    {
      what: 'every acknowledged receipt is kept, and the log verifies after every crash',
      tests: [KILLED, STEPS, [`${I}/standalone/forked.test.ts`, 'goes on after a kill']],
      verbs: [ANY_MOMENT, AT_STEPS],
    },
    {
      what: 'no file descriptor is left: `overloaded`, no fault of a provider',
      tests: [
        [`${U}/adapters/egress/shortage.test.ts`, 'a process that can open no further file'],
        [
          `${U}/api-server/run/call-providers.test.ts`,
          'takes its own shortage of descriptors for no fault of the provider',
        ],
      ],
    },
  ],
  R17: [
    {
      what: 'rotated while runs are in flight: new value within 5 s',
      tests: [[`${I}/cluster-api/secrets-under-fault.test.ts`, 'starts the next with the new one within 5 s']],
    },
    {
      what: 'Secret deleted: the next eligible provider, else 409 `secret-missing`',
      tests: [[`${I}/cluster-api/secrets-under-fault.test.ts`, 'fails closed when the Secret is deleted']],
    },
    {
      what: 'RoleBinding removed for 10 s',
      tests: [[`${I}/cluster-api/secrets-under-fault.test.ts`, 'fails closed when the RoleBinding was taken away']],
    },
    {
      what: 'Secret with a newline at its end',
      tests: [[`${I}/cluster-api/secrets-under-fault.test.ts`, 'sends a value without the newline at its end']],
    },
    {
      what: 'no value in any log, Event, status, answer, file or metric',
      tests: [[`${I}/cluster-api/secrets-under-fault.test.ts`, 'has shown no value after all of it']],
    },
  ],
};
