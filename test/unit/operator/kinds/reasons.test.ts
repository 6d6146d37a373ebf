import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SOURCE_REPORT } from '../../../../api-server/ingestion/source-reporter.ts';
import { POLICY_REPORT } from '../../../../api-server/policy/policy-reporter.ts';
import { EVALUATION_REPORT } from '../../../../api-server/publications/publication-reporter.ts';
import { VAULT_REPORT } from '../../../../api-server/vault/vault-reporter.ts';
import { OPERATOR_KINDS } from '../../../../operator/kinds/kinds.ts';
import { REASONS } from '../../../../operator/kinds/reasons.ts';

const rows = Object.entries(REASONS).flatMap(([kind, types]) =>
  Object.entries(types).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(([reason, { status, meaning }]) => ({ kind, type, reason, status, meaning })),
  ),
);

const ROOT = join(import.meta.dirname, '../../../..');
const TABLE = /\/reasons\.ts$/;

/** `KIND CONDITION` of every writer of a status. */
const owned: readonly string[] = [
  ...OPERATOR_KINDS.flatMap(({ kind, concerns }) =>
    concerns.flatMap(({ status }) => (status?.conditions ?? []).map((type) => `${kind.kind} ${type}`)),
  ),
  ...VAULT_REPORT.conditions.map((type) => `Orbiset ${type}`),
  ...EVALUATION_REPORT.conditions.map((type) => `OrbPublication ${type}`),
  ...POLICY_REPORT.conditions.map((type) => `OrbPolicy ${type}`),
  ...SOURCE_REPORT.conditions.map((type) => `OrbSignalSource ${type}`),
];

/** `KIND CONDITION` of the table. */
const documented = [...new Set(rows.map(({ kind, type }) => `${kind} ${type}`))];

/** The text of all code but the tables of reasons. */
function readFolders(folders: readonly string[]): string {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const code = files.filter((file) => file.endsWith('.ts') && !TABLE.test(file));
  return code.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');
}

describe('REASONS', () => {
  it('are names that metav1.Condition takes', () => {
    expect(rows.filter(({ type, reason }) => !/^[A-Z][A-Za-z0-9]*$/.test(`${type}${reason}`))).to.deep.equal([]);
    expect(rows.length).to.be.greaterThan(30);
  });

  it('say what they mean in a sentence', () => {
    expect(rows.filter(({ meaning }) => !/^(?:[A-Z]|spec|expires_at).*\.$/.test(meaning))).to.deep.equal([]);
  });

  it('keep Reconciling and Stalled to what is true while they stand there (kstatus)', () => {
    const abnormal = rows.filter(({ type }) => type === 'Reconciling' || type === 'Stalled');
    expect(abnormal.filter(({ status }) => status !== 'True')).to.deep.equal([]);
    expect(abnormal.length).to.be.greaterThan(6);
  });

  it('have Ready=False for whatever stalls', () => {
    const stalled = rows.filter(({ type }) => type === 'Stalled');
    const unexplained = stalled.filter(({ kind, reason }) => REASONS[kind]?.['Ready']?.[reason]?.status !== 'False');
    expect(unexplained).to.deep.equal([]);
  });

  it('have one owner for each condition, which may write it', () => {
    expect(documented.filter((type) => owned.filter((other) => other === type).length !== 1)).to.deep.equal([]);
  });

  it('leave out no condition that has an owner', () => {
    // No Orb waits for another writer, so it is never Reconciling. Its writer would still take the condition away.
    expect(owned.filter((name) => !documented.includes(name))).to.deep.equal(['Orb Reconciling']);
  });

  it('are all given by code', () => {
    const code = readFolders(['core', 'api-server', 'operator']);
    expect(rows.filter(({ reason }) => !code.includes(`'${reason}'`))).to.deep.equal([]);
  });
});
