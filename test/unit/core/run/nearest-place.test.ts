import { expect } from 'chai';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { nearestPlace } from '../../../../core/run/nearest-place.ts';

const placeIn = (body: JsonValue, from: string, type: 'string' | 'array' = 'string'): string | undefined => {
  const place = nearestPlace(from.split('/').slice(1), type, { status: 200, headers: {}, body });
  return place === undefined ? undefined : `/${place.join('/')}`;
};

describe('nearestPlace', () => {
  const rows: readonly (readonly [why: string, body: JsonValue, from: string, place: string | undefined])[] = [
    ['a member too many', { ts: 'a' }, '/body/data/ts', '/body/ts'],
    ['two members too many', { a: { ts: 'a' } }, '/body/data/a/b/ts', '/body/a/ts'],
    ['a member too few', { message: { ts: 'a' } }, '/body/ts', '/body/message/ts'],
    ['a member too few below another', { data: { message: { ts: 'a' } } }, '/body/data/ts', '/body/data/message/ts'],
    ['a list on the way', { items: [{ id: 'a' }] }, '/body/items/id', '/body/items/0/id'],
    ['two lists on the way', { a: [{ b: [{ c: 'x' }] }] }, '/body/a/b/c', '/body/a/0/b/0/c'],
    ['a near name', { text: 'a' }, '/body/txt', '/body/text'],
    ['a near name on the way', { message: { ts: 'a' } }, '/body/mesage/ts', '/body/message/ts'],
    ['nothing near', { other: 'a' }, '/body/ts', undefined],
    ['a value of another type', { ts: 5 }, '/body/data/ts', undefined],
    ['a name that may be data', { 'a@b.example': { ts: 'a' } }, '/body/ts', undefined],
    ['a name with digits', { user4711: { ts: 'a' } }, '/body/ts', undefined],
    ['a text as body', 'a text', '/body/ts', undefined],
    ['a very long pointer', { ts: 'a' }, '/body/a/b/c/d/e/f/ts', undefined],
  ];
  for (const [why, body, from, place] of rows)
    it(`${why}: ${place ?? 'nothing'}`, () => {
      expect(placeIn(body, from)).to.equal(place);
    });

  it('takes a value of the type that is declared', () => {
    expect(placeIn({ ids: 'a', data: { id: ['a'] } }, '/body/id', 'array')).to.equal('/body/data/id');
  });

  it('looks at 64 members of an object', () => {
    const many = Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => [
        `m${'x'.repeat(1 + (index % 30))}${'y'.repeat(Math.floor(index / 30))}`,
        1,
      ]),
    );
    expect(placeIn({ ...many, last: { ts: 'a' } }, '/body/ts')).to.equal(undefined);
  });

  it('says nothing about headers', () => {
    expect(nearestPlace(['headers', 'x-i'], 'string', { status: 200, headers: { 'x-id': 'a' }, body: {} })).to.equal(
      undefined,
    );
  });
});
