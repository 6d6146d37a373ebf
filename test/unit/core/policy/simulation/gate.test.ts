import { expect } from 'chai';
import type { OrbPolicySpec, RequireReplay } from '../../../../../crds/orbpolicy.ts';
import { effectiveMode, gateVerdict, type ReplayTotals } from '../../../../../core/policy/simulation/gate.ts';
import { aPolicy } from '../../../../support/policies.ts';

const WEEK_MS = 168 * 3_600_000;
const GOOD: ReplayTotals = {
  policyDigest: 'sha256:one',
  windowMs: WEEK_MS,
  evaluated: 1000,
  indeterminate: 0,
  newDenies: 0,
};

describe('the replay gate', () => {
  const rows: readonly (readonly [string, RequireReplay, Partial<ReplayTotals>, readonly string[]])[] = [
    ['is met at its limits', {}, {}, []],
    ['wants this version', {}, { policyDigest: 'sha256:other' }, ['policyDigest 0 for 1']],
    ['wants the whole window', {}, { windowMs: WEEK_MS / 2 }, ['window 84 for 168']],
    ['wants enough receipts', {}, { evaluated: 999 }, ['minReceipts 999 for 1000']],
    ['counts new denials', {}, { newDenies: 1 }, ['maxNewDenies 1 for 0']],
    [
      'counts new denials as a share of what was decided',
      { maxNewDenies: 10, maxNewDenyPercent: 0.1 },
      { newDenies: 2 },
      ['maxNewDenyPercent 0.2 for 0.1'],
    ],
    ['takes an exact share', { maxNewDenies: 10, maxNewDenyPercent: 0.2 }, { newDenies: 2 }, []],
    [
      'counts what could not be decided',
      {},
      { evaluated: 9000, indeterminate: 1000 },
      ['maxIndeterminatePercent 10 for 5'],
    ],
    ['is not met by nothing', { minReceipts: 1 }, { evaluated: 0 }, ['minReceipts 0 for 1']],
  ];
  for (const [why, required, totals, failing] of rows)
    it(why, () => {
      const verdict = gateVerdict(required, GOOD.policyDigest, { ...GOOD, ...totals });
      expect(verdict.failing.map(({ limit, actual, allowed }) => `${limit} ${actual} for ${allowed}`)).to.deep.equal(
        failing,
      );
      expect(verdict.passed).to.equal(failing.length === 0);
    });
});

describe('the mode that holds', () => {
  const gated: OrbPolicySpec = { mode: 'Enforce', promotion: { requireReplay: {} } };
  const digest = aPolicy(gated).definition.digest;
  const rows: readonly (readonly [string, OrbPolicySpec, readonly ReplayTotals[], string | undefined])[] = [
    ['is Audit when nothing is said', {}, [], 'Audit'],
    ['is none of a disabled policy', { mode: 'Disabled' }, [], undefined],
    ['is Enforce without a gate', { mode: 'Enforce' }, [], 'Enforce'],
    ['is Audit until a replay meets the gate', gated, [GOOD], 'Audit'],
    ['is Enforce when a replay of this version does', gated, [GOOD, { ...GOOD, policyDigest: digest }], 'Enforce'],
    ['stays Audit when Audit was asked for', { ...gated, mode: 'Audit' }, [{ ...GOOD, policyDigest: digest }], 'Audit'],
  ];
  for (const [why, spec, replays, mode] of rows)
    it(why, () => expect(effectiveMode(aPolicy(spec).definition, replays)).to.equal(mode));
});
