import { expect } from 'chai';
import { isJsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { isSwapReceipt } from '../../../../core/receipt/swap-record-schema.ts';
import { aSwapReceipt } from '../../../support/a-swap.ts';
import { changed } from './a-record.ts';

type Path = readonly (string | number)[];

const accepts = (path: Path, to: JsonValue | undefined, from: JsonValue = aSwapReceipt()): boolean => {
  const value = changed(from, path, to);
  return isJsonObject(value) && isSwapReceipt(value);
};

const ACTOR = { id: 'key:k7Qp2xZa', reason: null, mode: 'soft', expires_at: null, swap_id: null };
const manual = (): JsonValue => {
  const { swap, ...rest } = aSwapReceipt({ actor: { ...ACTOR, mode: 'soft' }, evidence: null });
  return { ...rest, swap: { ...swap, kind: 'manual', reason: 'manual', rule: 'pinned' } };
};

function membersOf(value: JsonValue, at: Path = []): readonly Path[] {
  if (!isJsonObject(value) || at.includes('replay') || at.includes('promql')) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...at, name], ...membersOf(member, [...at, name])]);
}

describe('isSwapReceipt', () => {
  it('takes the receipt of a swap that was decided and of one that was asked for', () => {
    expect(isSwapReceipt(aSwapReceipt())).to.equal(true);
    expect(accepts(['previous_receipt_id'], null, manual())).to.equal(true);
  });

  it('demands every member at every level', () => {
    const paths = [...membersOf(aSwapReceipt()), ['evidence', 'candidates', 0, 'why'], ['evidence', 'replay', 'now']];
    expect(paths.filter((path) => accepts(path, undefined))).to.deep.equal([]);
    expect(paths.length).to.be.greaterThan(40);
  });

  it('refuses another member at every level', () => {
    const objects: readonly Path[] = [
      [],
      ['orb'],
      ['swap'],
      ['evaluator'],
      ['evidence'],
      ['evidence', 'config'],
      ['evidence', 'metrics'],
      ['evidence', 'candidates', 0],
      ['evidence', 'hold'],
      ['evidence', 'replay'],
    ];
    expect(objects.filter((path) => accepts([...path, 'more'], 1))).to.deep.equal([]);
    expect(accepts(['actor', 'more'], 1, manual())).to.equal(false);
  });

  it('takes null only where it is stated', () => {
    const nullable = membersOf(aSwapReceipt()).filter((path) => accepts(path, null));
    expect(nullable.map((path) => path.join('.'))).to.have.members([
      'actor',
      'evidence',
      'evidence.config.limit_ms',
      'evidence.config.window_s',
      'evidence.metrics.query_sha256',
      'evidence.hold',
      'previous_receipt_id',
    ]);
  });

  const ramp = { provider: 'mailgun', percent: 50, trial: true, step_started_at: '2026-11-20T10:30:30.000Z' };
  const rows: readonly (readonly [why: string, path: Path, to: JsonValue, taken: boolean])[] = [
    ['the ramp that a swap ended', ['evidence', 'ramp'], ramp, true],
    ['a ramp of more than all', ['evidence', 'ramp'], { ...ramp, percent: 101 }, false],
    ['the schema of a run', ['schema'], 'https://orbs.example/schemas/receipt/v1', false],
    ['the schema of another issuer', ['schema'], 'https://other.example/schemas/swap-receipt/v1', false],
    ['swap 0', ['swap', 'seq'], 0, false],
    ['a rule that does not exist', ['swap', 'rule'], 'argmin', false],
    ['a time without milliseconds', ['swap', 'decided_at'], '2026-11-20T10:31:30Z', false],
    ['a provider with a space', ['swap', 'to'], 'mail gun', false],
    ['a latency that is no integer', ['evidence', 'candidates', 0, 'p50_ms'], 1.5, false],
    ['no candidate', ['evidence', 'candidates'], [], true],
    ['an actor of an automatic swap', ['actor'], ACTOR, false],
    ['a manual reason of an automatic swap', ['swap', 'reason'], 'manual', false],
    ['a payload beyond 4 KiB', ['evidence', 'metrics', 'promql'], { p50: 'x'.repeat(1900) }, false],
  ];
  for (const [why, path, to, taken] of rows) {
    it(`${taken ? 'takes' : 'refuses'} ${why}`, () => expect(accepts(path, to)).to.equal(taken));
  }

  it('refuses a manual swap that names nobody', () => expect(accepts(['actor'], null, manual())).to.equal(false));
});
