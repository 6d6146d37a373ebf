import { expect } from 'chai';
import { allowAnyUrl, briefResult, dial, ORIGIN, provided, answersWith, settled } from '../../../support/dialing.ts';
import { answer, aRequest, someLimits, type Script } from '../../../support/egress.ts';

describe('an abort', () => {
  it('before the start sends nothing', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const late = AbortSignal.abort(new DOMException('x', 'TimeoutError'));
      const results = [
        await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), allowAnyUrl, late),
        await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), allowAnyUrl, AbortSignal.abort()),
      ];
      expect(results.map(briefResult)).to.deep.equal([
        'timeout deadline sent=false status=null',
        'cancelled cancelled sent=false status=null',
      ]);
      expect(server.connections()).to.equal(0);
    });
  });

  it('while the connection is made ends at once, and the request never follows', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const controller = new AbortController();
      const result = dialer.dial(aRequest(`${ORIGIN}/a`), someLimits(), allowAnyUrl, controller.signal);
      controller.abort();
      expect(briefResult(await result)).to.equal('cancelled cancelled sent=false status=null');
      expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/b`)))).to.equal('200 ok');
      await settled();
      expect(server.requests.map((text) => text.split(' ')[1])).to.deep.equal(['/b']);
    });
  });

  it('while the answer is awaited breaks the connection', async () => {
    const controller = new AbortController();
    const closed = Promise.withResolvers<string>();
    const script: Script = (socket) => {
      socket.once('close', () => closed.resolve('closed'));
      controller.abort(new DOMException('x', 'TimeoutError'));
    };
    await provided(script, async (dialer) => {
      const result = await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), allowAnyUrl, controller.signal);
      expect(briefResult(result)).to.equal('timeout deadline sent=true status=null');
      expect(await closed.promise).to.equal('closed');
    });
  });
});

describe('destroy', () => {
  it('breaks what runs and refuses what comes', async () => {
    const arrived = Promise.withResolvers<undefined>();
    await provided(
      () => arrived.resolve(undefined),
      async (dialer, server) => {
        const running = dial(dialer, aRequest(`${ORIGIN}/`));
        await arrived.promise;
        await dialer.destroy();
        expect(briefResult(await running)).to.equal('cancelled cancelled sent=true status=null');
        expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal(
          'cancelled cancelled sent=false status=null',
        );
        expect(server.requests.length).to.equal(1);
      },
    );
  });

  it('breaks connections that are being made', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const running = dial(dialer, aRequest(`${ORIGIN}/`));
      await dialer.destroy();
      expect(briefResult(await running)).to.equal('cancelled cancelled sent=false status=null');
      expect(server.requests).to.deep.equal([]);
    });
  });
});

describe('halt', () => {
  it('breaks what runs and refuses what comes, until resume', async () => {
    const arrived = Promise.withResolvers<undefined>();
    await provided(
      (socket, text, index) => {
        if (index === 0) arrived.resolve(undefined);
        else answersWith(answer('ok'))(socket, text, index);
      },
      async (dialer, server) => {
        const running = dial(dialer, aRequest(`${ORIGIN}/`));
        await arrived.promise;
        await dialer.halt();
        const refused = await dial(dialer, aRequest(`${ORIGIN}/`));
        expect([briefResult(await running), briefResult(refused)]).to.deep.equal([
          'cancelled cancelled sent=true status=null',
          'cancelled cancelled sent=false status=null',
        ]);
        dialer.resume();
        expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('200 ok');
        expect(server.requests.length).to.equal(2);
      },
    );
  });

  it('is not undone after destroy', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      await dialer.halt();
      await dialer.destroy();
      dialer.resume();
      expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal(
        'cancelled cancelled sent=false status=null',
      );
      expect(server.requests).to.deep.equal([]);
    });
  });
});
