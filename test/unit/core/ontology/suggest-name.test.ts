import { expect } from 'chai';
import fc from 'fast-check';
import { ORB_ONTOLOGY } from '../../../../core/ontology/orb-ontology.ts';
import { suggestName } from '../../../../core/ontology/suggest-name.ts';

const NAMES = [...Object.keys(ORB_ONTOLOGY.terms), ...Object.keys(ORB_ONTOLOGY.capabilities)];
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789.-'.split('');

/** Every text that one edit makes of a text: a letter less, more or other. */
function edited(text: string): readonly string[] {
  const places = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)] as const);
  return places.flatMap(([before, after]) => [
    before + after.slice(1),
    ...LETTERS.flatMap((letter) => [before + letter + after, before + letter + after.slice(1)]),
  ]);
}

/** Edits between two texts, straight from the definition; two neighbours that change places are one edit. */
function distance(one: string, other: string): number {
  const known = new Map<string, number>();
  const between = (left: number, right: number): number => {
    if (left === 0 || right === 0) return left + right;
    const key = `${left} ${right}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const [a, b] = [one.slice(left - 2, left), other.slice(right - 2, right)];
    const isSwapped = left > 1 && right > 1 && a[0] === b[1] && a[1] === b[0];
    const edits = Math.min(
      between(left - 1, right) + 1,
      between(left, right - 1) + 1,
      between(left - 1, right - 1) + (one[left - 1] === other[right - 1] ? 0 : 1),
      isSwapped ? between(left - 2, right - 2) + 1 : Number.POSITIVE_INFINITY,
    );
    known.set(key, edits);
    return edits;
  };
  return between(one.length, other.length);
}

const isNear = (one: string, other: string): boolean => distance(one, other) <= 2;

const last = (name: string): string | undefined => name.split('.').at(-1);

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 24 }),
  fc
    .tuple(fc.constantFrom('mail', 'x', 'text.of'), fc.constantFrom(...NAMES))
    .map(([front, known]) => `${front}.${known}`),
);

describe('suggestName', () => {
  const rows: readonly [unknown: string, suggestion: string | undefined][] = [
    ['text.translte', 'text.translate'],
    ['txet', 'text'],
    ['emailaddress', 'email-address'],
    ['language.translate', 'text.translate'],
    ['mail.refund', 'payment.refund'],
    ['url.read', 'record.read'],
    ['acme.flag', 'flag'],
    ['bank-account', undefined],
    ['send', 'message.sms.send'],
    ['', undefined],
  ];
  for (const [unknown, suggestion] of rows)
    it(`suggests ${suggestion ?? 'nothing'} for ${unknown === '' ? 'no name' : unknown}`, () => {
      expect(suggestName(unknown, NAMES)).to.equal(suggestion);
    });

  it('suggests the first of equally near names', () => {
    expect(suggestName('ac', ['ab', 'ad'])).to.equal('ab');
  });

  it('finds a name again after two edits, or one that is as near', () => {
    const position = fc.nat({ max: 10_000 });
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), position, position, (known, one, two) => {
        const first = edited(known);
        const second = edited(first[one % first.length] ?? known);
        const text = second[two % second.length] ?? known;
        const found = suggestName(text, NAMES);
        expect(found, text).to.not.equal(undefined);
        expect(isNear(text, found ?? ''), `${text} → ${found}`).to.equal(true);
      }),
    );
  });

  it('suggests a name that is near or has the same last segment, whenever there is one, and nothing else', () => {
    fc.assert(
      fc.property(name, (text) => {
        const near = NAMES.filter((known) => isNear(text, known));
        const same = NAMES.filter((known) => last(known) === last(text));
        const found = suggestName(text, NAMES);
        if (near.length > 0) expect(near).to.include(found);
        else if (same.length > 0) expect(same).to.include(found);
        else expect(found).to.equal(undefined);
      }),
    );
  });
});
