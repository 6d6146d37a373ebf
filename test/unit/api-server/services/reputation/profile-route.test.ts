import { expect } from 'chai';
import type { Caller } from '../../../../../core/api-key/caller.ts';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { profileRoute, type ProfileParts } from '../../../../../api-server/services/reputation/profile-route.ts';
import { aListedVersion } from '../../../../support/a-listed-orb.ts';
import { aPublisher } from '../../../../support/a-marketplace.ts';
import { aCaller, startApp, type Called, type CallOptions } from '../../../../support/api-app.ts';
import { anEvaluation, ORB, tierChangeEntry } from '../../../../support/reputation-rows.ts';

const stored = { ...anEvaluation(), change: 1 };
const ledgerOf = (some: Partial<ProfileParts['ledger']> = {}): ProfileParts['ledger'] => ({
  evaluation: async () => ({ ...stored, profile: JSON.stringify({ orb_id: ORB, certification_tier: 'bronze' }) }),
  tierChanges: async () => [{ index: 17, entry: tierChangeEntry() }],
  ...some,
});

const away = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

async function get(
  id: string,
  { ledger = ledgerOf(), caller = aPublisher() }: { ledger?: ProfileParts['ledger']; caller?: Caller } = {},
  options: CallOptions = {},
): Promise<Called> {
  const listings = { orb: (orbId: string) => (orbId === ORB ? aListedVersion(ORB) : undefined) };
  const app = await startApp([profileRoute({ ledger, listings })], { caller });
  const answer = await app.call('GET', `/reputation/${id}`, options);
  await app.close();
  return answer;
}

describe('GET /reputation/{orb_id}', () => {
  it('has the profile of the newest evaluation, with the changes of the tier', async () => {
    const { status, value, headers } = await get(ORB);
    expect([status, value]).to.deep.equal([
      200,
      {
        orb_id: ORB,
        certification_tier: 'bronze',
        history: [{ at: '2026-11-20T10:00:00.000Z', score: 40, tier: 'bronze', log_index: 17 }],
      },
    ]);
    expect(headers.get('cache-control')).to.equal('private, max-age=60');
  });

  it('takes %40 for @', async () => {
    expect((await get(encodeURIComponent(ORB))).status).to.equal(200);
  });

  it('is not sent twice, and anew after a change of the tier alone', async () => {
    const headers = { 'if-none-match': (await get(ORB)).headers.get('etag') ?? '' };
    expect((await get(ORB, {}, { headers })).status).to.equal(304);
    const more = ledgerOf({ tierChanges: async () => [] });
    expect((await get(ORB, { ledger: more }, { headers })).status).to.equal(200);
  });

  for (const id of [
    'acme.echo@9.9.9',
    'acme.echo',
    'acme%2Fecho@1.0.0',
    '%3Cscript%3E',
    '__proto__',
    '..%2Fetc',
    `${ORB}%00`,
  ]) {
    it(`${id}: 404 orb-not-published`, async () => {
      const { status, code } = await get(id);
      expect([status, code]).to.deep.equal([404, 'orb-not-published']);
    });
  }

  it('malformed percent-encoding: 400', async () => {
    expect((await get('acme.echo%ZZ')).code).to.equal('malformed-path');
  });

  it('needs a key with its scope', async () => {
    expect((await get(ORB, {}, { key: null })).status).to.equal(401);
    expect((await get(ORB, { caller: aCaller() })).code).to.equal('forbidden');
  });

  it('says that the first evaluation is outstanding, and when to ask again', async () => {
    const { status, code, headers } = await get(ORB, { ledger: ledgerOf({ evaluation: async () => undefined }) });
    expect([status, code, headers.get('retry-after')]).to.deep.equal([404, 'evaluation-pending', '1']);
  });

  it('answers 503 while the ledger is away', async () => {
    const { status, code } = await get(ORB, { ledger: ledgerOf({ evaluation: away }) });
    expect([status, code]).to.deep.equal([503, 'ledger-unavailable']);
  });
});
