import { expect } from 'chai';
import { isLabelName, isObjectName } from '../../../../core/reconcile/kube-name.ts';

const LONGEST_LABEL = 'a'.repeat(63);
const LONGEST = 'a'.repeat(253);

describe('isLabelName', () => {
  for (const name of ['a', '0', 'acme-2', LONGEST_LABEL])
    it(`takes ${name.slice(0, 20)}, ${name.length} long`, () => {
      expect(isLabelName(name)).to.equal(true);
    });
  for (const name of ['', '-a', 'a-', 'A', 'a.b', 'a_b', '..', 'a/b', `${LONGEST_LABEL}a`, 'a\n'])
    it(`refuses ${JSON.stringify(name.slice(0, 20))}, ${name.length} long`, () => {
      expect(isLabelName(name)).to.equal(false);
    });
});

describe('isObjectName', () => {
  for (const name of ['a', 'a.b', 'tls-1.example', LONGEST])
    it(`takes ${name.slice(0, 20)}, ${name.length} long`, () => {
      expect(isObjectName(name)).to.equal(true);
    });
  for (const name of ['', '.', '..', 'a.', '-a', 'A', 'a/b', '../a', `${LONGEST}a`])
    it(`refuses ${JSON.stringify(name.slice(0, 20))}, ${name.length} long`, () => {
      expect(isObjectName(name)).to.equal(false);
    });
});
