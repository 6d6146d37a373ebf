import { expect } from 'chai';
import { call, NoAnswer, type ApiRequest } from '../../../../cli/api/http.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';

const get: ApiRequest = { method: 'GET', path: 'a?b=c', headers: { accept: 'application/json' }, timeoutMs: 5000 };
const never = new AbortController().signal;

describe('call', () => {
  let server: CliServer | undefined;
  const ask = async (answer: Answering, request: Partial<ApiRequest> = {}, key?: string): Promise<unknown> => {
    server = await aServer(answer);
    return call({ base: new URL(`${server.url}/base/`), key }, { ...get, ...request }, never).catch(
      (error: unknown) => error,
    );
  };
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('sends key, headers and body below the base and returns the whole answer', async () => {
    const answer = await ask(json(418, { a: 1 }), { method: 'POST', body: '{"ü":1}' }, 'k');
    expect(answer).to.deep.equal({
      status: 418,
      contentType: 'application/json',
      etag: undefined,
      body: Buffer.from('{"a":1}'),
    });
    expect(server?.received[0]).to.deep.include({ method: 'POST', url: '/base/a?b=c', body: '{"ü":1}' });
    expect(server?.received[0]?.headers).to.deep.include({
      authorization: 'Bearer k',
      accept: 'application/json',
      'content-length': '8',
    });
  });

  it('sends no Authorization header without a key', async () => {
    await ask(json(200, {}));
    expect(server?.received[0]?.headers).not.to.have.property('authorization');
  });

  it('does not follow a redirect: the key would travel along', async () => {
    const answer = await ask(
      (_request, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
      {},
      'k',
    );
    expect(answer).to.include({ status: 302 });
    expect(server?.received.length).to.equal(1);
  });

  const broken: readonly (readonly [why: string, answer: Answering, message: string, timeoutMs?: number])[] = [
    ['a server that closes without an answer', (_request, response) => void response.destroy(), 'the connection broke'],
    [
      'an answer that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
      'the connection broke',
    ],
    ['a server that never answers', () => undefined, 'no answer within', 200],
  ];
  for (const [why, answer, message, timeoutMs = 15_000] of broken) {
    it(`reports ${why} as sent, with exit 4`, async () => {
      const error = await ask(answer, { timeoutMs });
      expect(error).to.be.instanceOf(NoAnswer).and.to.include({ exit: 4, sent: true });
      expect(String(error)).to.include(message);
    });
  }

  it('reads no more than its limit of an answer without end', async () => {
    const block = Buffer.alloc(1024 * 1024);
    const error = await ask((_request, response) => {
      response.writeHead(200);
      const more = (): void => void response.write(block, (fault) => fault ?? more());
      more();
    });
    expect(String(error)).to.include('its answer is larger than');
  });

  it('reports a port where nobody listens as not sent', async () => {
    const gone = await aServer(json(200, {}));
    await gone.close();
    const error: unknown = await call({ base: new URL(`${gone.url}/`), key: 'secret-key' }, get, never).catch(
      (fault: unknown) => fault,
    );
    expect(error).to.be.instanceOf(NoAnswer).and.to.include({ exit: 4, sent: false });
    expect(String(error)).to.include('nothing listens there').and.not.to.include('secret-key');
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('enough');
    server = await aServer(() => undefined);
    const pending = call({ base: new URL(`${server.url}/`), key: undefined }, get, AbortSignal.abort(reason));
    expect(await pending.catch((error: unknown) => error)).to.equal(reason);
  });
});
