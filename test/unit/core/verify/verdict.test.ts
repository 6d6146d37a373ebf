import { expect } from 'chai';
import { verdictOf } from '../../../../core/verify/verdict.ts';

describe('verdictOf', () => {
  it('gives tampered, undecidable or untrusted by the table', () => {
    expect(verdictOf('ok')).to.equal('valid');
    const tampered = ['signature', 'input', 'output', 'badge_mismatch'] as const;
    const untrusted = [
      'issuer',
      'score_mismatch',
      'decision_mismatch',
      'not_in_log',
      'inclusion',
      'checkpoint',
      'key_window',
      'key_revoked',
      'too_old',
      'expired',
      'not_yet_valid',
      'revoked',
    ] as const;
    const undecidable = [
      'malformed',
      'unknown_root',
      'keys_invalid',
      'wrong_type',
      'unsupported_alg',
      'embedded_key',
      'unsupported_header',
      'unknown_key',
      'payload',
      'profile',
      'not_canonical',
      'schema',
      'badge_unknown',
      'not_certified',
    ] as const;
    expect(tampered.map(verdictOf)).to.deep.equal(tampered.map(() => 'tampered'));
    expect(untrusted.map(verdictOf)).to.deep.equal(untrusted.map(() => 'untrusted'));
    expect(undecidable.map(verdictOf)).to.deep.equal(undecidable.map(() => 'undecidable'));
  });
});
