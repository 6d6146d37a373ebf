import { expect } from 'chai';
import { admissionLimits, createAdmission } from '../../../../api-server/http/admission.ts';

const under = (queuedRows: number, oldestMs: number, loopDelayMs: number): Parameters<typeof createAdmission>[0] => ({
  ledger: () => ({ queuedRows, oldestMs }),
  loopDelayMs: () => loopDelayMs,
});

const ACME = { tenant: 'acme', key: 'key:one' };
const GLOBEX = { tenant: 'globex', key: 'key:two' };

describe('createAdmission', () => {
  const rows: [string, [number, number, number], string][] = [
    ['an idle process takes runs', [0, 0, 0], 'admitted'],
    ['just under every bound', [4095, 499, 99.9], 'admitted'],
    ['too many queued rows', [4096, 0, 0], 'overloaded'],
    ['a row that waits for 500 ms', [1, 500, 0], 'overloaded'],
    ['a row that waits for 5 s: the ledger is away', [1, 5000, 0], 'ledger-unavailable'],
    ['an event loop that is 100 ms late', [0, 0, 100], 'overloaded'],
  ];
  for (const [why, [queued, oldest, delay], expected] of rows) {
    it(`${why}: ${expected}`, () => {
      const result = createAdmission(under(queued, oldest, delay)).admit(ACME);
      expect(result.kind === 'refused' ? result.code : result.kind).to.equal(expected);
    });
  }

  it('counts the runs that it admits, and no other', () => {
    let admitted = 0;
    const admission = createAdmission(under(0, 0, 0), { ...admissionLimits, runsInFlight: 2 }, () => (admitted += 1));
    for (let run = 0; run < 3; run += 1) admission.admit(ACME);
    expect(admitted).to.equal(2);
  });

  it('holds a place until it is released', () => {
    const admission = createAdmission(under(0, 0, 0), { ...admissionLimits, runsInFlight: 1 });
    const first = admission.admit(ACME);
    expect([first.kind, admission.admit(ACME).kind, admission.inFlight()]).to.deep.equal(['admitted', 'refused', 1]);
    if (first.kind === 'admitted') first.release();
    expect([admission.inFlight(), admission.admit(ACME).kind]).to.deep.equal([0, 'admitted']);
  });

  it('leaves places to a tenant that comes when another one has all that it may have', () => {
    const admission = createAdmission(under(0, 0, 0), { ...admissionLimits, runsInFlight: 100, tenantPct: 75 });
    const count = (share: typeof ACME): number =>
      Array.from({ length: 200 }, () => admission.admit(share)).filter(({ kind }) => kind === 'admitted').length;
    expect([count(ACME), count(GLOBEX)]).to.deep.equal([75, 19]);
  });

  it('refuses under load only the tenant that makes it', () => {
    let delay = 0;
    const pressure = { ledger: () => ({ queuedRows: 0, oldestMs: 0 }), loopDelayMs: () => delay };
    const admission = createAdmission(pressure);
    for (let run = 0; run < 10; run += 1) admission.admit(ACME);
    delay = 500;
    expect(admission.admit(ACME).kind).to.equal('refused');
    const others = Array.from({ length: 12 }, () => admission.admit(GLOBEX).kind);
    expect(others.filter((kind) => kind === 'admitted').length).to.equal(10);
    expect(others.slice(0, 10)).to.deep.equal(Array.from({ length: 10 }, () => 'admitted'));
  });
});
