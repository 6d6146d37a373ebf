import { expect } from 'chai';
import { REASONS } from '../../../../core/reconcile/reasons.ts';

type Reasons = Readonly<Record<string, { readonly status: string; readonly meaning: string }>>;
const kinds: Readonly<Record<string, Readonly<Record<string, Reasons>>>> = REASONS;
const rows = Object.entries(kinds).flatMap(([kind, types]) =>
  Object.entries(types).flatMap(([type, reasons]) =>
    Object.entries(reasons).map(([reason, { status, meaning }]) => ({ kind, type, reason, status, meaning })),
  ),
);

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
    const unexplained = stalled.filter(({ kind, reason }) => kinds[kind]?.['Ready']?.[reason]?.status !== 'False');
    expect(unexplained).to.deep.equal([]);
  });
});
