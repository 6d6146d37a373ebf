import { expect } from 'chai';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import type { PublishedVersion } from '../../../../core/run/published.ts';
import { answered, createTestRuntime, type TestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

function digestOf({ catalog }: TestRuntime): string {
  const id = parseOrbId('acme.echo@1.0.0');
  return (id.ok && catalog.orb('acme', id.value)?.compiled?.digest) || '';
}

describe('the log entry of a run', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  /** A run of tenant `acme` while the owner changes. @param owners of `acme`, at its start and at its end */
  async function entryOf(owners: readonly [string, string]): Promise<unknown> {
    let [owner] = owners;
    const version = (): PublishedVersion => ({
      manifestDigest: digestOf(test),
      namespace: 'acme',
      status: 'active',
      isCertified: true,
    });
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      parts: { published: { version, ownerOf: () => owner, isFresh: () => true } },
      answer: () => {
        [, owner] = owners;
        return answered({ id: 'x1' });
      },
    });
    expect((await test.execute({})).status).to.equal(200);
    const [text = ''] = await fixture.ledger.entries(0, 1);
    const entry = readEntry(text);
    return entry?.kind === 'receipt' ? entry.self : entry?.kind;
  }

  const rows: readonly (readonly [why: string, owners: readonly [string, string], self: boolean])[] = [
    ['a stranger', ['globex', 'globex'], false],
    ['the owner', ['acme', 'acme'], true],
    ['a tenant that owns the Orb by the end', ['globex', 'acme'], true],
    ['a tenant that owned the Orb at the start', ['acme', 'globex'], true],
  ];
  for (const [why, owners, self] of rows)
    it(`says of ${why} that self is ${String(self)}`, async () => {
      expect(await entryOf(owners)).to.equal(self);
    });
});
