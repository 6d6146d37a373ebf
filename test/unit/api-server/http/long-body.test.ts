import { expect } from 'chai';
import { LONG_BYTES } from '../../../../api-server/http/long-body.ts';
import { LoopTurns } from '../../../../api-server/http/loop-turns.ts';
import { json } from '../../../../api-server/http/reply.ts';
import { aCaller, startApp, type TestApp } from '../../../support/api-app.ts';
import { echoing } from '../../../support/test-routes.ts';

const headers = { 'content-type': 'application/json' };
/** A JSON text of so many bytes. */
const textOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;

describe('long bodies', () => {
  let app: TestApp | undefined;
  afterEach(() => app?.close());

  /** @returns the bytes that long bodies held when each handler ran, and whose turns were asked for */
  async function start({ sheds = false, hasRoom = true } = {}) {
    const turns = new LoopTurns({ now: () => performance.now() });
    const held: number[] = [];
    const tenants: string[] = [];
    const take = turns.longBody.bind(turns);
    Object.assign(turns, {
      longBody: (...[share, bytes]: Parameters<LoopTurns['longBody']>) => {
        tenants.push(share.tenant);
        return hasRoom ? take(share, bytes) : undefined;
      },
    });
    const handle = async (): Promise<ReturnType<typeof json>> => {
      held.push(app?.app.load().bodyBytes ?? -1);
      return json({ done: true });
    };
    app = await startApp([{ ...echoing, ...(sheds ? { sheds } : {}), handle }], { turns, caller: aCaller() });
    const { call } = app;
    const post = async (bytes: number): Promise<number> =>
      (await call('POST', '/things/1', { headers, body: textOf(bytes) })).status;
    return { turns, held, tenants, post, call };
  }

  it('wait for a turn of their tenant, and others do not', async () => {
    const { post, tenants } = await start();
    expect([await post(LONG_BYTES), tenants]).to.deep.equal([200, []]);
    expect([await post(LONG_BYTES + 1), tenants.length]).to.deep.equal([200, 1]);
  });

  it('count until they are handled', async () => {
    const { post, held, turns } = await start();
    await post(100_000);
    expect([held, turns.longBodyBytes]).to.deep.equal([[100_000], 0]);
  });

  it('of runs count until it is their turn', async () => {
    const { post, held, turns, tenants } = await start({ sheds: true });
    await post(100_000);
    expect([held, turns.longBodyBytes, tenants.length]).to.deep.equal([[0], 0, 1]);
  });

  for (const sheds of [true, false])
    it(`are refused without memory for them: 503 overloaded, sheds ${sheds}`, async () => {
      const { call, held } = await start({ sheds, hasRoom: false });
      const { status, code, headers: said } = await call('POST', '/things/1', { headers, body: textOf(100_000) });
      expect([status, code, said.get('retry-after'), held]).to.deep.equal([503, 'overloaded', '1', []]);
    });
});
