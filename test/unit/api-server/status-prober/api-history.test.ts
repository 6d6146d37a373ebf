import { expect } from 'chai';
import type { PlatformAnswer, PlatformClient } from '../../../../adapters/platform-api/client.ts';
import { ApiHistory } from '../../../../api-server/status-prober/api-history.ts';

const never = new AbortController().signal;

const incident = (id: string, status: string): object => ({
  id,
  title: 'Runs fail',
  status,
  impact: 'major',
  services: ['runtime'],
  started_at: '2026-11-20T10:00:00.000Z',
  resolved_at: status === 'resolved' ? '2026-11-20T11:00:00.000Z' : null,
  updates: [],
});

describe('the history of the API in the prober', () => {
  let pages: Record<string, readonly object[] | undefined>;
  let asked: string[];
  let history: ApiHistory;
  beforeEach(() => {
    asked = [];
    pages = { '/status': [], '/status/days?days=90': [incident('inc_1', 'resolved')] };
    const api: PlatformClient = {
      call: ({ path }): Promise<PlatformAnswer> => {
        asked.push(path);
        const incidents = pages[path];
        if (incidents === undefined) return Promise.resolve({ kind: 'failed', code: 'unreachable', ms: 1 });
        const body = Buffer.from(JSON.stringify({ incidents }));
        return Promise.resolve({ kind: 'answered', status: 200, headers: {}, body, ms: 1 });
      },
    };
    history = new ApiHistory(api);
  });

  const ids = async (): Promise<readonly string[] | undefined> =>
    (await history.incidents(never))?.map(({ id, status }) => `${id} ${status}`);
  const longAnswers = (): number => asked.filter((path) => path.startsWith('/status/days')).length;

  it('reads the days once while no incident begins or ends', async () => {
    const known = ['inc_1 resolved'];
    expect([await ids(), await ids(), await ids()]).to.deep.equal([known, known, known]);
    expect(longAnswers()).to.equal(1);
  });

  it('reads them again when one begins, and when it ends', async () => {
    await ids();
    pages['/status'] = [incident('inc_2', 'investigating')];
    expect(await ids()).to.deep.equal(['inc_2 investigating', 'inc_1 resolved']);
    pages = { '/status': [], '/status/days?days=90': [incident('inc_2', 'resolved'), incident('inc_1', 'resolved')] };
    expect(await ids()).to.deep.equal(['inc_2 resolved', 'inc_1 resolved']);
    expect(longAnswers()).to.equal(3);
  });

  it('reads them again after 20 uses: people may have added a line', async () => {
    for (let use = 0; use < 40; use += 1) await ids();
    expect(longAnswers()).to.equal(2);
  });

  it('is not known while one of both is not answered, and is read again then', async () => {
    pages['/status/days?days=90'] = undefined;
    expect(await ids()).to.equal(undefined);
    pages['/status/days?days=90'] = [];
    expect(await ids()).to.deep.equal([]);
    pages['/status'] = undefined;
    expect(await ids()).to.equal(undefined);
  });
});
