import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { KubeError, type KubeClient } from '../../../../adapters/kube/port.ts';
import { aClient, until, type ClientFixture } from '../../../support/kube/a-client.ts';
import { statusBody, type Reply } from '../../../support/kube/fake-api-server.ts';
import { anObject } from '../../../support/kube/kube-objects.ts';

const never = new AbortController().signal;
const ref = { namespace: 'acme', name: 'a' };
const object = { ...anObject('a', 1), metadata: { name: 'a', namespace: 'acme' } };
const watch = { resourceVersion: '1', timeoutSeconds: 300 };

type Act = (client: KubeClient, signal?: AbortSignal) => Promise<unknown>;

const get: Act = (client, signal = never) => client.get(KINDS.orb, ref, signal);
const list: Act = (client, signal = never) => client.list(KINDS.orb, {}, signal);
const apply: Act = (client, signal = never) => client.apply(KINDS.orb, object, { fieldManager: 'm' }, signal);
const remove: Act = (client, signal = never) => client.delete(KINDS.orb, ref, { uid: 'u' }, signal);
const create: Act = (client, signal = never) => client.create(KINDS.orb, object, signal);
const update: Act = (client, signal = never) => client.update(KINDS.orb, object, signal);
const jsonPatch: Act = (client, signal = never) =>
  client.patch(KINDS.orb, ref, { type: 'json', body: [], fieldManager: 'm' }, signal);
const open: Act = (client, signal = never) => client.watch(KINDS.orb, watch, signal);

const good = (reply: Reply): void =>
  reply.json(200, { ...anObject('a', 7), metadata: { name: 'a', resourceVersion: '7' }, items: [] });

/** `ok`, or the status of the refusal. */
const outcomeOf = async (work: Promise<unknown>): Promise<string | number> => {
  try {
    await work;
    return 'ok';
  } catch (error) {
    return error instanceof KubeError ? error.status : String(error);
  }
};

const tooMany = (reply: Reply): void => reply.json(429, statusBody(429, 'TooManyRequests'), { 'retry-after': '7' });

const nobody = (): void => undefined;

let fixture: ClientFixture;

/** The first `times` requests go wrong, the others well. */
function failing(times: number, fault: (reply: Reply) => void): void {
  fixture.server.answer = (_request, reply) => {
    if (fixture.server.requests.length <= times) fault(reply);
    else good(reply);
  };
}

describe('a client that is refused', () => {
  beforeEach(async () => {
    fixture = await aClient({}, true);
  });
  afterEach(() => fixture.close());

  for (const [verb, act] of Object.entries({ get, list, apply, remove, create, update, jsonPatch })) {
    it(`waits before it repeats a ${verb} as long as a 429 says, and a tenth more by chance`, async () => {
      failing(1, tooMany);
      expect(await outcomeOf(act(fixture.client))).to.equal('ok');
      expect([fixture.server.requests.length, fixture.waits]).to.deep.equal([2, [7000 * 1.1]]);
    });
  }

  it('reads the delay from the details when there is no header', async () => {
    failing(1, (reply) => reply.json(429, statusBody(429, 'TooManyRequests', { retryAfterSeconds: 3 })));
    expect([await outcomeOf(get(fixture.client)), fixture.waits]).to.deep.equal(['ok', [3000 * 1.1]]);
  });

  it('waits 60 s at most, whatever the server says', async () => {
    failing(1, (reply) => reply.json(429, statusBody(429, 'TooManyRequests'), { 'retry-after': '86400' }));
    expect([await outcomeOf(get(fixture.client)), fixture.waits]).to.deep.equal(['ok', [66_000]]);
  });

  it('gives up after ten waits that the server asked for', async () => {
    failing(99, tooMany);
    const outcome = await outcomeOf(get(fixture.client));
    expect([outcome, fixture.server.requests.length]).to.deep.equal([429, 11]);
  });

  for (const status of [500, 503, 504]) {
    for (const [verb, act] of Object.entries({ get, list, remove, ...(status === 500 ? {} : { apply }) })) {
      it(`repeats a ${verb} that was answered with ${status} up to 3 times`, async () => {
        failing(3, (reply) => reply.json(status, statusBody(status, '')));
        expect(await outcomeOf(act(fixture.client))).to.equal('ok');
        expect([fixture.server.requests.length, fixture.waits]).to.deep.equal([4, [250, 750, 2250]]);
      });
    }
    for (const [verb, act] of Object.entries({ create, update, jsonPatch })) {
      it(`does not repeat a ${verb} that was answered with ${status}: it may have happened`, async () => {
        failing(1, (reply) => reply.json(status, statusBody(status, ''), { 'retry-after': '1' }));
        expect(await outcomeOf(act(fixture.client))).to.equal(status);
        expect(fixture.server.requests).to.have.length(1);
      });
    }
  }

  it('leaves an apply that was answered with 500 to the queue of its caller, which holds no worker', async () => {
    failing(1, (reply) => reply.json(500, statusBody(500, '')));
    expect([await outcomeOf(apply(fixture.client)), fixture.waits]).to.deep.equal([500, []]);
    failing(1, (reply) => reply.json(500, statusBody(500, ''), { 'retry-after': '1' }));
    expect(await outcomeOf(apply(fixture.client))).to.equal('ok');
  });

  it('gives up after three waits of its own', async () => {
    failing(99, (reply) => reply.json(500, statusBody(500, '')));
    const outcome = await outcomeOf(get(fixture.client));
    expect([outcome, fixture.server.requests.length]).to.deep.equal([500, 4]);
  });

  it('repeats no refusal that will stand', async () => {
    for (const status of [400, 403, 409, 410, 415, 422]) {
      fixture.server.answer = (_request, reply) => reply.json(status, statusBody(status, ''));
      expect(await outcomeOf(apply(fixture.client))).to.equal(status);
    }
    expect(fixture.server.requests).to.have.length(6);
  });

  it('repeats a read whose connection was reset, and no create', async () => {
    failing(1, (reply) => reply.reset());
    expect(await outcomeOf(get(fixture.client))).to.equal('ok');
    const before = fixture.server.requests.length;
    fixture.server.answer = (_request, reply) => reply.reset();
    expect(await outcomeOf(create(fixture.client))).to.equal(0);
    expect(fixture.server.requests.length - before).to.equal(1);
  });
});

describe('a client that is not answered', () => {
  beforeEach(async () => {
    fixture = await aClient();
  });
  afterEach(() => fixture.close());

  it('does not take half an answer for one', async () => {
    fixture.server.answer = (_request, reply) => {
      reply.open();
      reply.write('{"metadata":{"name":"a"');
      setImmediate(reply.reset);
    };
    expect(await outcomeOf(update(fixture.client))).to.equal(0);
  });

  it('does not take an answer of something else for one', async () => {
    fixture.server.answer = (_request, reply) => reply.json(200, '<html>');
    expect(await outcomeOf(update(fixture.client))).to.equal(0);
    fixture.server.answer = (_request, reply) => reply.json(200, { items: [] });
    expect(await outcomeOf(list(fixture.client))).to.equal(0);
  });

  it('ends a call that was not answered for 30 s', async () => {
    fixture.server.answer = nobody;
    const call = outcomeOf(create(fixture.client));
    await until(() => fixture.server.requests.length === 1);
    await fixture.clock.advance(29_999);
    expect(await Promise.race([call, settled()])).to.equal('waits');
    await fixture.clock.advance(1);
    expect(await call).to.equal(0);
  });

  it('gives a page of a LIST 60 s, to its last byte', async () => {
    fixture.server.answer = (_request, reply) => {
      reply.open();
      reply.write('{');
    };
    const stop = new AbortController();
    const call = outcomeOf(list(fixture.client, stop.signal));
    await until(() => fixture.reported.length === 1);
    await fixture.clock.advance(59_999);
    await settled();
    expect(fixture.server.requests).to.have.length(1);
    await fixture.clock.advance(1);
    await settled();
    await fixture.clock.advance(250);
    await until(() => fixture.server.requests.length === 2);
    stop.abort(new Error('enough'));
    expect(await call).to.equal('Error: enough');
  });

  it('ends a watch that gets no header for 30 s, and none that has one', async () => {
    fixture.server.answer = (_request, reply) => (fixture.server.requests.length === 1 ? undefined : reply.open());
    const frozen = outcomeOf(open(fixture.client));
    await until(() => fixture.server.requests.length === 1);
    await fixture.clock.advance(30_000);
    expect(await frozen).to.equal(0);
    const stop = new AbortController();
    const chunks = await fixture.client.watch(KINDS.orb, watch, stop.signal);
    const read = outcomeOf(chunks[Symbol.asyncIterator]().next());
    await fixture.clock.advance(3_600_000);
    expect(await Promise.race([read, settled()])).to.equal('waits');
    stop.abort(new Error('enough'));
    expect(await read).to.equal('Error: enough');
  });

  it('does not repeat a watch: that is its reflector’s', async () => {
    failing(1, tooMany);
    expect(await outcomeOf(open(fixture.client))).to.equal(429);
    expect(fixture.server.requests).to.have.length(1);
  });

  it('reports a watch that was reset by the reader’s error', async () => {
    let end = nobody;
    fixture.server.answer = (_request, reply) => {
      reply.open();
      end = reply.reset;
    };
    const chunks = await fixture.client.watch(KINDS.orb, watch, never);
    const read = outcomeOf(chunks[Symbol.asyncIterator]().next());
    end();
    expect(await read).to.equal(0);
  });

  it('closes the connection of a call that is aborted', async () => {
    let closed: Promise<void> | undefined;
    fixture.server.answer = (_request, reply) => void ({ closed } = reply);
    const stop = new AbortController();
    const call = outcomeOf(get(fixture.client, stop.signal));
    await until(() => closed !== undefined);
    stop.abort(new Error('enough'));
    expect(await call).to.equal('Error: enough');
    await closed;
  });

  it('ends a wait, and a place in the queue, when its call is aborted', async () => {
    failing(1, tooMany);
    const stop = new AbortController();
    const waiting = outcomeOf(get(fixture.client, stop.signal));
    await until(() => fixture.reported.length === 1);
    fixture.server.answer = () => undefined;
    const first = Array.from({ length: 4 }, () => outcomeOf(list(fixture.client, stop.signal)));
    const queued = outcomeOf(list(fixture.client, stop.signal));
    await until(() => fixture.server.requests.length === 5);
    stop.abort(new Error('enough'));
    expect(new Set(await Promise.all([waiting, queued, ...first]))).to.deep.equal(new Set(['Error: enough']));
    fixture.server.answer = (_request, reply) => good(reply);
    expect(await outcomeOf(list(fixture.client))).to.equal('ok');
  });

  it('asks for nothing when its signal is aborted already', async () => {
    const stop = AbortSignal.abort(new Error('enough'));
    for (const act of [get, list, create, open])
      expect(await outcomeOf(act(fixture.client, stop))).to.equal('Error: enough');
    expect(fixture.server.requests).to.deep.equal([]);
  });
});

const answers = (status: number) => (_request: unknown, reply: Reply) =>
  status === 200 ? good(reply) : reply.json(status, statusBody(status, 'Unauthorized'));

describe('the credentials of a client', () => {
  afterEach(() => fixture.close());

  it('are got anew once when they are refused, for every verb', async () => {
    let token = 0;
    fixture = await aClient({
      authorization: async (refresh) => `Bearer ${(token += refresh ? 1 : 0)}`,
    });
    fixture.server.answer = (request, reply) =>
      answers(request.headers['authorization'] === 'Bearer 0' ? 401 : 200)(request, reply);
    expect(await outcomeOf(create(fixture.client))).to.equal('ok');
    expect(fixture.server.requests.map(({ headers }) => headers['authorization'])).to.deep.equal([
      'Bearer 0',
      'Bearer 1',
    ]);
  });

  it('are not got a third time', async () => {
    fixture = await aClient();
    fixture.server.answer = answers(401);
    expect(await outcomeOf(get(fixture.client))).to.equal(401);
    expect(fixture.server.requests).to.have.length(2);
  });

  it('that can not be read are told, and nothing is sent', async () => {
    fixture = await aClient({
      authorization: async () => {
        throw new Error('can’t read the token file');
      },
    });
    const error: unknown = await create(fixture.client).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(KubeError);
    expect(String(error)).to.contain('was not sent: can’t read the token file');
    expect(fixture.server.requests).to.deep.equal([]);
  });

  it('may be a header of impersonation beside', async () => {
    fixture = await aClient({ headers: { 'impersonate-user': 'jane' } });
    fixture.server.answer = answers(200);
    await get(fixture.client);
    expect(fixture.server.requests[0]?.headers['impersonate-user']).to.equal('jane');
  });
});

/** Gives sockets their time. */
async function settled(): Promise<'waits'> {
  for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  return 'waits';
}
