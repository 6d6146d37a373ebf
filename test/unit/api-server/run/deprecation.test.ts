import { expect } from 'chai';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import type { PublishedVersion } from '../../../../core/run/published.ts';
import { answered, createTestRuntime, type TestRuntime } from '../../../support/a-runtime.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const DEPRECATED_AT = Date.parse('2026-11-20T10:00:00.900Z');

function digestOf({ catalog }: TestRuntime): string {
  const id = parseOrbId('acme.echo@1.0.0');
  return (id.ok && catalog.orb('acme', id.value)?.compiled?.digest) || '';
}

describe('the answer of a run of a deprecated version', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  /** @returns status and `Deprecation` of a run @param provided status that the provider answers */
  async function run(members: Partial<PublishedVersion>, provided = 200): Promise<readonly unknown[]> {
    const version = (): PublishedVersion => ({
      manifestDigest: digestOf(test),
      namespace: 'acme',
      status: 'deprecated',
      isCertified: true,
      ...members,
    });
    const published = { version, ownerOf: () => undefined, isFresh: () => true };
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      parts: { published },
      answer: () => answered({ id: 'x1' }, { status: provided }),
    });
    const answer = await test.execute({});
    return [answer.status, answer.headers['deprecation']];
  }

  it('carries the second since when it is deprecated (RFC 9745), whether the run succeeds or not', async () => {
    expect(await run({ deprecatedAt: DEPRECATED_AT })).to.deep.equal([200, '@1795168800']);
    expect(await run({ deprecatedAt: DEPRECATED_AT }, 500)).to.deep.equal([502, '@1795168800']);
  });

  it('says nothing of an active version, or of other bytes under the id', async () => {
    expect(await run({ status: 'active' })).to.deep.equal([200, undefined]);
    const other = { deprecatedAt: DEPRECATED_AT, manifestDigest: `sha256:${'1'.repeat(64)}` };
    expect(await run(other)).to.deep.equal([200, undefined]);
  });
});
