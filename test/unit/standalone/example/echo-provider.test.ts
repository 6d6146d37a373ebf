import { expect } from 'chai';
import { startEchoProvider } from '../../../../standalone/example/echo-provider.ts';
import type { ExampleProvider } from '../../../../standalone/example/provider-server.ts';

const TOKEN = 'a-token';

describe('the echo provider without a certificate', () => {
  let provider: ExampleProvider;

  before(async () => {
    provider = await startEchoProvider({ tls: undefined, token: TOKEN });
  });
  after(() => provider.close());

  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${provider.port}${path}`, init);
  const say = (text: string, token: string): Promise<Response> =>
    ask('/v1/echo', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });

  it('tells a kubelet without a token that it lives', async () => {
    expect((await ask('/healthz')).status).to.equal(200);
  });

  it('says what it is told to whoever has the token', async () => {
    const answer = await say('Hello, Orb', TOKEN);
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.deep.equal({ text: 'Hello, Orb', words: 2 });
  });

  it('says nothing to anybody else', async () => {
    const answer = await say('Hello, Orb', 'b-token');
    expect(answer.status).to.equal(401);
    expect(await answer.text()).to.not.include('Hello');
  });
});
