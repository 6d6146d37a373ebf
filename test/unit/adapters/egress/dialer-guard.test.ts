import { expect } from 'chai';
import type { UrlGuard } from '../../../../adapters/egress/port.ts';
import {
  aDialer,
  briefResult,
  ca,
  dial,
  leaf,
  neverAborted,
  ORIGIN,
  provided,
  answersWith,
  stubbed,
} from '../../../support/dialing.ts';
import { answer, aRequest, rawServer, rawTlsServer, someLimits } from '../../../support/egress.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const literal = (address: string): { address: string; family: number } => ({ address, family: 4 });

const FORMS = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
];
const WIDE = ['[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]'];

describe('the guard', () => {
  it('refuses every literal form, over https and http, without a connection', async () => {
    const server = await rawServer(answersWith(answer('ok')));
    const dialer = aDialer({ ports: [443, server.port] });
    const urls = [...FORMS, ...WIDE].flatMap((host) => [
      `https://${host}:${server.port}/`,
      `http://${host}:${server.port}/`,
    ]);
    const results = await Promise.all(urls.map((url) => dial(dialer, aRequest(url))));
    const codes = new Set(results.map(briefResult));
    expect([...codes].toSorted()).to.deep.equal([
      'blocked egress-denied-literal sent=false status=null',
      'blocked egress-denied-scheme sent=false status=null',
    ]);
    expect(server.connections()).to.equal(0);
    await dialer.destroy();
    await server.close();
  });

  const ANSWERED: readonly (readonly [why: string, addresses: readonly string[]])[] = [
    ['loopback', ['127.0.0.1']],
    ['cloud metadata', ['169.254.169.254']],
    ['a public address and loopback', ['8.8.8.8', '127.0.0.1']],
    ['loopback and a public address', ['127.0.0.1', '8.8.8.8']],
  ];
  for (const [why, addresses] of ANSWERED) {
    it(`refuses a name that resolves to ${why}, without a connection`, async () => {
      const server = await rawServer(answersWith(answer('ok')));
      const dialer = aDialer({ ports: [server.port], resolve: async () => addresses.map(literal) });
      const result = await dial(dialer, aRequest(`https://api.example.com:${server.port}/`));
      expect(briefResult(result)).to.equal('blocked egress-denied-address sent=false status=null');
      expect(server.connections()).to.equal(0);
      await dialer.destroy();
      await server.close();
    });
  }

  it('asks the owner of the secrets before anything is sent', async () => {
    await provided(answersWith(answer('ok')), async (dialer, server) => {
      const asked: string[] = [];
      const guard: UrlGuard = (url) => {
        asked.push(url.href);
        return 'secret-host-not-allowed';
      };
      const result = await dialer.dial(aRequest('HTTPS://API.example.com/x'), someLimits(), guard, neverAborted());
      expect(briefResult(result)).to.equal('blocked secret-host-not-allowed sent=false status=null');
      expect([asked, server.connections()]).to.deep.equal([[`${ORIGIN}/x`], 0]);
    });
  });

  it('says in the result what went by exception', async () => {
    await provided(answersWith(answer('ok')), async (dialer) => {
      const by = await dial(dialer, aRequest(`${ORIGIN}/`));
      const not = await dial(dialer, aRequest('https://127.0.0.1/'));
      expect([by.exception, not.exception]).to.deep.equal([true, false]);
    });
  });

  it('lets plain http through for an allowed origin only', async () => {
    const server = await rawServer(answersWith(answer('ok')));
    const origin = `http://127.0.0.1:${server.port}`;
    const dialer = aDialer({ exceptions: [{ kind: 'allow', origin }] });
    expect(briefResult(await dial(dialer, aRequest(`${origin}/`)))).to.equal('200 ok');
    await dialer.destroy();
    await server.close();
  });
});

const DAY_MS = 86_400_000;
const TLS_FAULTS: readonly (readonly [why: string, made: () => { certificate: string; key: string }])[] = [
  ['another name', () => issue(ca, { names: ['other.example.com'] })],
  [
    'an expired certificate',
    () => issue(ca, { names: ['api.example.com'], validFrom: Date.now() - 2 * DAY_MS, validTo: Date.now() - DAY_MS }),
  ],
  ['a certificate of tomorrow', () => issue(ca, { names: ['api.example.com'], validFrom: Date.now() + DAY_MS })],
  ['an unknown authority', () => issue(makeCa(), { names: ['api.example.com'] })],
  ['a certificate that signed itself', () => makeCa()],
];

describe('TLS', () => {
  for (const [why, made] of TLS_FAULTS) {
    it(`refuses ${why}: no byte of the request reaches the server`, async () => {
      const { certificate, key } = made();
      const server = await rawTlsServer({ cert: certificate, key }, answersWith(answer('ok')));
      const dialer = stubbed(server);
      const results = [await dial(dialer, aRequest(`${ORIGIN}/`)), await dial(dialer, aRequest(`${ORIGIN}/`))];
      const expected = 'transport tls sent=false status=null';
      expect(results.map(briefResult)).to.deep.equal([expected, expected]);
      expect(server.requests).to.deep.equal([]);
      await dialer.destroy();
      await server.close();
    });
  }

  it('refuses a server that only knows TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const server = await rawTlsServer({ cert: leaf.certificate, key: leaf.key, ...old }, answersWith(answer('ok')));
    const dialer = stubbed(server);
    expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('transport tls sent=false status=null');
    await dialer.destroy();
    await server.close();
  });

  it('speaks HTTP/1.1 only', async () => {
    const server = await rawTlsServer(
      { cert: leaf.certificate, key: leaf.key, ALPNProtocols: ['h2'] },
      answersWith(answer('ok')),
    );
    const dialer = stubbed(server);
    expect(briefResult(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('transport tls sent=false status=null');
    await dialer.destroy();
    await server.close();
  });
});
