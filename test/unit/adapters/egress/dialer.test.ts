import type { Socket } from 'node:net';
import { expect } from 'chai';
import type { UrlGuard } from '../../../../adapters/egress/port.ts';
import {
  aDialer,
  briefResult,
  dial,
  firstThen,
  neverAborted,
  ORIGIN,
  provided,
  answersWith,
  settled,
} from '../../../support/dialing.ts';
import { answer, aRequest, enoughMemory, rawServer, someLimits } from '../../../support/egress.ts';

describe('a request', () => {
  it('leaves as it was given, with the host, the length and accept-encoding of the dialer', async () => {
    await provided(answersWith(answer('')), async (dialer, server) => {
      const headers = [
        ['Authorization', 'Bearer s3cr3t'],
        ['x-a', '1'],
        ['x-a', '2'],
      ] as const;
      await dial(dialer, aRequest(`${ORIGIN}/a%20b?c=d%26e`, { method: 'POST', headers, body: '{"ä":1}' }));
      expect(server.requests).to.deep.equal([
        [
          'POST /a%20b?c=d%26e HTTP/1.1',
          'host: api.example.com',
          'connection: keep-alive',
          'accept-encoding: identity',
          'Authorization: Bearer s3cr3t',
          'x-a: 1',
          'x-a: 2',
          'content-length: 8',
          '',
          Buffer.from('{"ä":1}').toString('latin1'),
        ].join('\r\n'),
      ]);
    });
  });

  it('beyond the 256 connections of its origin waits for one that is free, and is never sent when it is cancelled', async function () {
    this.timeout(10_000);
    const full = Promise.withResolvers<undefined>();
    const waiting: Socket[] = [];
    const server = await rawServer((socket, text) => {
      if (text.startsWith('GET /first ')) waiting.push(socket);
      else socket.write(answer('ok'));
      if (waiting.length === 256) full.resolve(undefined);
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const dialer = aDialer({ exceptions: [{ kind: 'allow', origin }] });
    const first = Array.from({ length: 256 }, () => dial(dialer, aRequest(`${origin}/first`)));
    await full.promise;
    const cancel = new AbortController();
    const cancelled = dialer.dial(aRequest(`${origin}/cancelled`), someLimits(), () => null, cancel.signal);
    const next = dial(dialer, aRequest(`${origin}/next`));
    cancel.abort();
    expect(briefResult(await cancelled)).to.equal('cancelled cancelled sent=false status=null');
    await settled();
    expect(server.requests.length).to.equal(256);
    for (const socket of waiting) socket.write(answer('ok'));
    expect(briefResult(await next)).to.equal('200 ok');
    await Promise.all(first);
    expect(server.requests.slice(256).map((text) => text.split(' ')[1])).to.deep.equal(['/next']);
    await dialer.destroy();
    await server.close();
  });

  it('reuses its connection after the answer', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const sessions: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        await dial(dialer, aRequest(`${ORIGIN}/`));
        await settled();
        sessions.push(server.connections());
      }
      expect(sessions).to.deep.equal([1, 1, 1, 1, 1]);
    });
  });

  it('counts as sent when a reused connection is reset before the answer', async () => {
    const script = firstThen(answersWith(answer('ok')), (socket) => {
      socket.destroy();
    });
    await provided(script, async (dialer, server) => {
      await dial(dialer, aRequest(`${ORIGIN}/`));
      await settled();
      const result = await dial(dialer, aRequest(`${ORIGIN}/`, { method: 'POST', body: 'x' }));
      expect(briefResult(result)).to.equal('transport reset sent=true status=null');
      expect([server.connections(), server.requests.length]).to.deep.equal([1, 2]);
    });
  });

  for (const name of [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'expect',
    'Proxy-Authorization',
    'accept-encoding',
    'te',
    'Keep-Alive',
    'trailer',
    'Upgrade',
  ]) {
    it(`must not set ${name}`, async () => {
      const error = await dial(aDialer(), aRequest(`${ORIGIN}/`, { headers: [[name, 's3cr3t']] })).catch(
        (caught: unknown) => caught,
      );
      expect(String(error)).to.equal(`TypeError: header not to be set by a request: ${name.toLowerCase()}`);
    });
  }

  it('with a header value that would break out fails unsent, without the value', async () => {
    await provided(answersWith(answer('')), async (dialer, server) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`, { headers: [['x', 's3cr3t\r\ny: z']] }));
      expect(briefResult(result)).to.equal('transport protocol sent=false status=null');
      expect([JSON.stringify(result).includes('s3cr3t'), server.requests.length]).to.deep.equal([false, 0]);
    });
  });
});

const redirect = (location: string, status = '302 Found'): Buffer => answer('', [`location: ${location}`], status);

const notB: UrlGuard = (url) => (url.pathname === '/b' ? 'secret-host-not-allowed' : null);

describe('a redirect', () => {
  const follow = someLimits({ followRedirects: 2 });

  it('is followed on its origin, and asked about anew', async () => {
    const script = firstThen(answersWith(redirect('/b?c#d')), answersWith(answer('there')));
    await provided(script, async (dialer, server) => {
      const asked: string[] = [];
      const guard: UrlGuard = (url) => {
        asked.push(url.href);
        return null;
      };
      const result = await dialer.dial(aRequest(`${ORIGIN}/a`), follow, guard, neverAborted());
      expect([briefResult(result), asked]).to.deep.equal(['200 there', [`${ORIGIN}/a`, `${ORIGIN}/b?c`]]);
      expect(server.requests[1]?.split('\r\n')[0]).to.equal('GET /b?c HTTP/1.1');
    });
  });

  it('is followed no further than the limit', async () => {
    await provided(answersWith(redirect('/again')), async (dialer, server) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`), follow);
      expect([briefResult(result), server.requests.length]).to.deep.equal(['302 ', 3]);
    });
  });

  it('to another origin is refused, without a connection to it', async () => {
    const other = await rawServer(answersWith(answer('stolen')));
    for (const target of [
      `https://127.0.0.1:${other.port}/`,
      `http://127.0.0.1:${other.port}/`,
      `https://localhost:${other.port}/`,
    ]) {
      await provided(answersWith(redirect(target)), async (dialer) => {
        const headers = [['x-api-key', 's3cr3t']] as const;
        expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`, { headers }), follow))).to.equal(
          'blocked redirect-refused sent=true status=302',
        );
      });
    }
    expect(other.connections()).to.equal(0);
    await other.close();
  });

  it('gives the memory of its body back before the next request', async () => {
    const acts: string[] = [];
    const large = 'x'.repeat(100_000);
    const script = firstThen(answersWith(answer(large, ['location: /b'], '302 Found')), answersWith(answer(large)));
    const hold = (): boolean => acts.push('hold') > 0;
    const memory = { ...enoughMemory, hold, free: () => void acts.push('free') };
    await provided(script, async (dialer) => {
      await dial(dialer, aRequest(`${ORIGIN}/`), { ...follow, memory });
    });
    expect(acts).to.deep.equal(['hold', 'free', 'hold']);
  });

  it('with user info is refused', async () => {
    await provided(answersWith(redirect('https://user@api.example.com/')), async (dialer, server) => {
      expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`), follow))).to.equal(
        'blocked egress-denied-url sent=true status=null',
      );
      expect(server.requests.length).to.equal(1);
    });
  });

  it('that the owner of the secrets refuses ends as sent', async () => {
    await provided(answersWith(redirect('/b')), async (dialer, server) => {
      const result = await dialer.dial(aRequest(`${ORIGIN}/`), follow, notB, neverAborted());
      expect([briefResult(result), server.requests.length]).to.deep.equal([
        'blocked secret-host-not-allowed sent=true status=null',
        1,
      ]);
    });
  });

  it('repeats method, headers and body of an idempotent request', async () => {
    const script = firstThen(answersWith(redirect('/b', '307 Temporary Redirect')), answersWith(answer('ok')));
    await provided(script, async (dialer, server) => {
      const request = aRequest(`${ORIGIN}/a`, { method: 'POST', headers: [['x-k', '1']], body: 'body' });
      await dial(dialer, request, someLimits({ followRedirects: 1, idempotent: true }));
      expect(server.requests[1]).to.equal(server.requests[0]?.replace('POST /a', 'POST /b'));
    });
  });
});
