import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect } from 'chai';
import { createDialer, type DialerOptions } from '../../../../adapters/egress/dialer.ts';
import type { Dialer, DialResult, OutboundRequest, UrlGuard } from '../../../../adapters/egress/port.ts';
import { systemClock } from '../../../../adapters/time/clock.ts';
import {
  answer,
  aRequest,
  rawServer,
  rawTlsServer,
  someLimits,
  type RawServer,
  type Script,
} from '../../../support/egress.ts';
import { issue, makeCa } from '../../../support/tls.ts';

const ORIGIN = 'https://api.example.com';
const ca = makeCa();
const leaf = issue(ca, { names: ['api.example.com'] });
const never = (): AbortSignal => new AbortController().signal;
const anywhere: UrlGuard = () => null;
const literal = (address: string): { address: string; family: number } => ({ address, family: 4 });

const aDialer = (changes: Partial<DialerOptions> = {}): Dialer =>
  createDialer({ exceptions: [], ca: [ca.certificate], clock: systemClock, ...changes });

const dial = (dialer: Dialer, request: OutboundRequest, limits = someLimits()): Promise<DialResult> =>
  dialer.dial(request, limits, anywhere, never());

/** What matters of a result, for one comparison. */
const brief = (result: DialResult): string =>
  result.kind === 'answered'
    ? `${result.status} ${Buffer.from(result.body).toString('latin1')}`
    : `${result.failure.kind} ${result.failure.code} sent=${result.sent} status=${result.status}`;

/** A provider behind a stub, and a dialer that knows it. */
async function provided<T>(script: Script, use: (dialer: Dialer, server: RawServer) => Promise<T>): Promise<T> {
  const server = await rawTlsServer({ cert: leaf.certificate, key: leaf.key }, script);
  const dialer = aDialer({ exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }] });
  try {
    return await use(dialer, server);
  } finally {
    await dialer.destroy();
    await server.close();
  }
}

const says =
  (bytes: string | Uint8Array, end = false): Script =>
  (socket: Socket) => {
    socket.write(bytes);
    if (end) socket.end();
  };

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });

const headerLines = (count: number, size: number): readonly string[] =>
  Array.from({ length: count }, (_line, at) => `x-${at}: ${'v'.repeat(size)}`);

const ANSWERS: readonly (readonly [why: string, script: Script, expected: string])[] = [
  ['takes a body of its length', says(answer('hello')), '200 hello'],
  ['takes a body without bytes', says(answer('', [], '202 Accepted')), '202 '],
  ['takes a 204', says('HTTP/1.1 204 No Content\r\n\r\n'), '204 '],
  [
    'takes chunks',
    says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n'),
    '200 abcde',
  ],
  ['takes an error status with its body', says(answer('no', [], '503 Service Unavailable')), '503 no'],
  ['takes a 3xx as the answer', says(answer('', ['location: /x'], '302 Found')), '302 '],
  [
    'ignores answers below 200',
    says(Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'), answer('hello')])),
    '200 hello',
  ],
  [
    'takes a body that the end of the connection ends in HTTP/1.0',
    says('HTTP/1.0 200 OK\r\n\r\nhello', true),
    '200 hello',
  ],
  [
    'refuses a body that only the end of the connection ends in HTTP/1.1',
    says('HTTP/1.1 200 OK\r\n\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses a body shorter than its length',
    says('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses a cut chunk',
    says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nhello', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses chunks without the last one',
    says('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', true),
    'transport truncated sent=true status=200',
  ],
  [
    'refuses two lengths',
    says('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!'),
    'transport protocol sent=true status=null',
  ],
  [
    'refuses a length beside chunks',
    says('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'),
    'transport protocol sent=true status=null',
  ],
  ['refuses what is no HTTP', says('SSH-2.0-OpenSSH_9.9\r\n'), 'transport protocol sent=true status=null'],
  [
    'refuses a connection that ends before the answer',
    (socket) => socket.end(),
    'transport reset sent=true status=null',
  ],
  [
    'refuses a connection that ends within the head',
    says('HTTP/1.1 200 OK\r\nx: ', true),
    'transport reset sent=true status=null',
  ],
  [
    'refuses an upgrade that nobody asked for',
    says('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    'transport reset sent=true status=null',
  ],
  ['takes 199 headers', says(answer('ok', headerLines(199, 1))), '200 ok'],
  [
    'refuses 1500 headers below 16 KiB',
    says(answer('ok', headerLines(1500, 1))),
    'response headers-too-large sent=true status=200',
  ],
  [
    'refuses 20 KB of headers',
    says(answer('ok', headerLines(20, 1000))),
    'response headers-too-large sent=true status=null',
  ],
  ['decodes gzip', says(answer(gzipSync('hello'), ['content-encoding: gzip'])), '200 hello'],
  ['decodes br', says(answer(brotliCompressSync('hello'), ['content-encoding: br'])), '200 hello'],
  ['decodes zstd', says(answer(zstdCompressSync('hello'), ['content-encoding: zstd'])), '200 hello'],
  ['decodes deflate', says(answer(deflateSync('hello'), ['content-encoding: deflate'])), '200 hello'],
  [
    'refuses an unknown encoding',
    says(answer('hello', ['content-encoding: compress'])),
    'response unsupported-encoding sent=true status=200',
  ],
  [
    'refuses a list of encodings',
    says(answer('hello', ['content-encoding: gzip, gzip'])),
    'response unsupported-encoding sent=true status=200',
  ],
  [
    'refuses an encoding that is none',
    says(answer('hello', ['content-encoding: gzip'])),
    'response undecodable sent=true status=200',
  ],
  [
    'refuses an encoded body that is cut, with its length right',
    says(answer(gzipSync('hello').subarray(0, 15), ['content-encoding: gzip'])),
    'response undecodable sent=true status=200',
  ],
  [
    'refuses an announced length above the cap',
    says('HTTP/1.1 200 OK\r\ncontent-length: 1048577\r\n\r\n'),
    'response response-too-large sent=true status=200',
  ],
  [
    'refuses chunks above the cap',
    says(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n100001\r\n${'x'.repeat(0x100001)}\r\n0\r\n\r\n`),
    'response response-too-large sent=true status=200',
  ],
  [
    'refuses a decoded body above the cap',
    says(answer(gzipSync(Buffer.alloc(1_048_577)), ['content-encoding: gzip'])),
    'response response-too-large sent=true status=200',
  ],
];

describe('an answer', () => {
  for (const [why, script, expected] of ANSWERS) {
    it(why.replace(/^(\w+)/, 'is read: $1'), async () => {
      await provided(script, async (dialer) => {
        expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal(expected);
      });
    });
  }

  it('keeps its headers in wire order, names in lower case, repeats included', async () => {
    await provided(says(answer('', ['X-B: 1', 'x-a: 2', 'X-b: 3'])), async (dialer) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`));
      expect(result.kind === 'answered' && result.headers).to.deep.equal([
        ['content-length', '0'],
        ['x-b', '1'],
        ['x-a', '2'],
        ['x-b', '3'],
      ]);
    });
  });

  it('to HEAD has no body, whatever length and encoding it announces', async () => {
    await provided(
      says('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\ncontent-encoding: x\r\n\r\n'),
      async (dialer) => {
        expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`, { method: 'HEAD' })))).to.equal('200 ');
      },
    );
  });

  it('is never larger than 4 MiB, whatever the limit says', async () => {
    await provided(says(`HTTP/1.1 200 OK\r\ncontent-length: ${4 * 1_048_576 + 1}\r\n\r\n`), async (dialer) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`), someLimits({ maxResponseBytes: 99_999_999 }));
      expect(brief(result)).to.equal('response response-too-large sent=true status=200');
    });
  });

  it('after a refused one comes over another connection', async () => {
    const script: Script = (socket, _request, index) =>
      socket.write(answer('ok', index === 0 ? ['content-encoding: x'] : []));
    await provided(script, async (dialer, server) => {
      await dial(dialer, aRequest(`${ORIGIN}/`));
      expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('200 ok');
      expect(server.connections()).to.equal(2);
    });
  });
});

describe('a request', () => {
  it('leaves as it was given, with the host, the length and accept-encoding of the dialer', async () => {
    await provided(says(answer('')), async (dialer, server) => {
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

  it('reuses its connection after the answer', async () => {
    await provided(says(answer('ok')), async (dialer, server) => {
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
    const script: Script = (socket, _request, index) => {
      if (index === 0) socket.write(answer('ok'));
      else socket.destroy();
    };
    await provided(script, async (dialer, server) => {
      await dial(dialer, aRequest(`${ORIGIN}/`));
      await settled();
      const result = await dial(dialer, aRequest(`${ORIGIN}/`, { method: 'POST', body: 'x' }));
      expect(brief(result)).to.equal('transport reset sent=true status=null');
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
  ]) {
    it(`must not set ${name}`, async () => {
      const error = await dial(aDialer(), aRequest(`${ORIGIN}/`, { headers: [[name, 's3cr3t']] })).catch(
        (caught: unknown) => caught,
      );
      expect(String(error)).to.equal(`TypeError: header not to be set by a request: ${name.toLowerCase()}`);
    });
  }

  it('with a header value that would break out fails unsent, without the value', async () => {
    await provided(says(answer('')), async (dialer, server) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`, { headers: [['x', 's3cr3t\r\ny: z']] }));
      expect(brief(result)).to.equal('transport protocol sent=false status=null');
      expect([JSON.stringify(result).includes('s3cr3t'), server.requests.length]).to.deep.equal([false, 0]);
    });
  });
});

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
    const server = await rawServer(says(answer('ok')));
    const dialer = aDialer({ ports: [443, server.port] });
    const urls = [...FORMS, ...WIDE].flatMap((host) => [
      `https://${host}:${server.port}/`,
      `http://${host}:${server.port}/`,
    ]);
    const results = await Promise.all(urls.map((url) => dial(dialer, aRequest(url))));
    const codes = new Set(results.map(brief));
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
      const server = await rawServer(says(answer('ok')));
      const dialer = aDialer({ ports: [server.port], resolve: async () => addresses.map(literal) });
      const result = await dial(dialer, aRequest(`https://api.example.com:${server.port}/`));
      expect(brief(result)).to.equal('blocked egress-denied-address sent=false status=null');
      expect(server.connections()).to.equal(0);
      await dialer.destroy();
      await server.close();
    });
  }

  it('refuses a name that resolves to a public address first and to loopback then', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const asked: string[] = [];
    const resolve: DialerOptions['resolve'] = async (host) => {
      asked.push(host);
      return [literal(answers[asked.length - 1] ?? '127.0.0.1')];
    };
    const dialer = aDialer({ resolve });
    const first = dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), anywhere, AbortSignal.timeout(20));
    expect(brief(await first)).to.match(/^(timeout|transport) \S+ sent=false/); // no network here: it never connects
    const second = await dial(dialer, aRequest(`${ORIGIN}/`));
    expect(brief(second)).to.match(/^blocked egress-denied-address sent=false|^transport connect sent=false/);
    expect(asked.every((host) => host === 'api.example.com.')).to.equal(true);
    await dialer.destroy();
  });

  it('asks the owner of the secrets before anything is sent', async () => {
    await provided(says(answer('ok')), async (dialer, server) => {
      const asked: string[] = [];
      const guard: UrlGuard = (url) => {
        asked.push(url.href);
        return 'secret-host-not-allowed';
      };
      const result = await dialer.dial(aRequest('HTTPS://API.example.com/x'), someLimits(), guard, never());
      expect(brief(result)).to.equal('blocked secret-host-not-allowed sent=false status=null');
      expect([asked, server.connections()]).to.deep.equal([[`${ORIGIN}/x`], 0]);
    });
  });

  it('says in the result what went by exception', async () => {
    await provided(says(answer('ok')), async (dialer) => {
      const by = await dial(dialer, aRequest(`${ORIGIN}/`));
      const not = await dial(dialer, aRequest('https://127.0.0.1/'));
      expect([by.exception, not.exception]).to.deep.equal([true, false]);
    });
  });

  it('lets plain http through for an allowed origin only', async () => {
    const server = await rawServer(says(answer('ok')));
    const origin = `http://127.0.0.1:${server.port}`;
    const dialer = aDialer({ exceptions: [{ kind: 'allow', origin }] });
    expect(brief(await dial(dialer, aRequest(`${origin}/`)))).to.equal('200 ok');
    expect(dialer.exceptions).to.deep.equal([{ kind: 'allow', origin }]);
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
      const server = await rawTlsServer({ cert: certificate, key }, says(answer('ok')));
      const dialer = aDialer({
        exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }],
      });
      const results = [await dial(dialer, aRequest(`${ORIGIN}/`)), await dial(dialer, aRequest(`${ORIGIN}/`))];
      const expected = 'transport tls sent=false status=null';
      expect(results.map(brief)).to.deep.equal([expected, expected]);
      expect(server.requests).to.deep.equal([]);
      await dialer.destroy();
      await server.close();
    });
  }

  it('refuses a server that only knows TLS 1.1', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const server = await rawTlsServer({ cert: leaf.certificate, key: leaf.key, ...old }, says(answer('ok')));
    const dialer = aDialer({ exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }] });
    expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('transport tls sent=false status=null');
    await dialer.destroy();
    await server.close();
  });

  it('speaks HTTP/1.1 only', async () => {
    const server = await rawTlsServer(
      { cert: leaf.certificate, key: leaf.key, ALPNProtocols: ['h2'] },
      says(answer('ok')),
    );
    const dialer = aDialer({ exceptions: [{ kind: 'stub', origin: ORIGIN, address: '127.0.0.1', port: server.port }] });
    expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal('transport tls sent=false status=null');
    await dialer.destroy();
    await server.close();
  });
});

const redirect = (location: string, status = '302 Found'): Buffer => answer('', [`location: ${location}`], status);

describe('a redirect', () => {
  const follow = someLimits({ followRedirects: 2 });

  it('is followed on its origin, and asked about anew', async () => {
    const script: Script = (socket, _request, index) =>
      socket.write(index === 0 ? redirect('/b?c#d') : answer('there'));
    await provided(script, async (dialer, server) => {
      const asked: string[] = [];
      const guard: UrlGuard = (url) => {
        asked.push(url.href);
        return null;
      };
      const result = await dialer.dial(aRequest(`${ORIGIN}/a`), follow, guard, never());
      expect([brief(result), asked]).to.deep.equal(['200 there', [`${ORIGIN}/a`, `${ORIGIN}/b?c`]]);
      expect(server.requests[1]?.split('\r\n')[0]).to.equal('GET /b?c HTTP/1.1');
    });
  });

  it('is followed no further than the limit', async () => {
    await provided(says(redirect('/again')), async (dialer, server) => {
      const result = await dial(dialer, aRequest(`${ORIGIN}/`), follow);
      expect([brief(result), server.requests.length]).to.deep.equal(['302 ', 3]);
    });
  });

  it('to another origin is refused, without a connection to it', async () => {
    const other = await rawServer(says(answer('stolen')));
    for (const target of [
      `https://127.0.0.1:${other.port}/`,
      `http://127.0.0.1:${other.port}/`,
      `https://localhost:${other.port}/`,
    ]) {
      await provided(says(redirect(target)), async (dialer) => {
        const headers = [['x-api-key', 's3cr3t']] as const;
        expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`, { headers }), follow))).to.equal(
          'blocked redirect-refused sent=true status=302',
        );
      });
    }
    expect(other.connections()).to.equal(0);
    await other.close();
  });

  it('with user info is refused', async () => {
    await provided(says(redirect('https://user@api.example.com/')), async (dialer, server) => {
      expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`), follow))).to.equal(
        'blocked egress-denied-url sent=true status=null',
      );
      expect(server.requests.length).to.equal(1);
    });
  });

  it('that the owner of the secrets refuses ends as sent', async () => {
    await provided(says(redirect('/b')), async (dialer, server) => {
      const guard: UrlGuard = (url) => (url.pathname === '/b' ? 'secret-host-not-allowed' : null);
      const result = await dialer.dial(aRequest(`${ORIGIN}/`), follow, guard, never());
      expect([brief(result), server.requests.length]).to.deep.equal([
        'blocked secret-host-not-allowed sent=true status=null',
        1,
      ]);
    });
  });

  it('repeats method, headers and body of an idempotent request', async () => {
    const script: Script = (socket, _request, index) =>
      socket.write(index === 0 ? redirect('/b', '307 Temporary Redirect') : answer('ok'));
    await provided(script, async (dialer, server) => {
      const request = aRequest(`${ORIGIN}/a`, { method: 'POST', headers: [['x-k', '1']], body: 'body' });
      await dial(dialer, request, someLimits({ followRedirects: 1, idempotent: true }));
      expect(server.requests[1]).to.equal(server.requests[0]?.replace('POST /a', 'POST /b'));
    });
  });
});

describe('an abort', () => {
  it('before the start sends nothing', async () => {
    await provided(says(answer('ok')), async (dialer, server) => {
      const late = AbortSignal.abort(new DOMException('x', 'TimeoutError'));
      const results = [
        await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), anywhere, late),
        await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), anywhere, AbortSignal.abort()),
      ];
      expect(results.map(brief)).to.deep.equal([
        'timeout deadline sent=false status=null',
        'cancelled cancelled sent=false status=null',
      ]);
      expect(server.connections()).to.equal(0);
    });
  });

  it('while the connection is made ends at once, and the request never follows', async () => {
    await provided(says(answer('ok')), async (dialer, server) => {
      const controller = new AbortController();
      const result = dialer.dial(aRequest(`${ORIGIN}/a`), someLimits(), anywhere, controller.signal);
      controller.abort();
      expect(brief(await result)).to.equal('cancelled cancelled sent=false status=null');
      expect(brief(await dial(dialer, aRequest(`${ORIGIN}/b`)))).to.equal('200 ok');
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
      const result = await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), anywhere, controller.signal);
      expect(brief(result)).to.equal('timeout deadline sent=true status=null');
      expect(await closed.promise).to.equal('closed');
    });
  });

  it('within the body says which status had come', async () => {
    const controller = new AbortController();
    const script: Script = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel', () =>
        setImmediate(() => setImmediate(() => controller.abort())),
      );
    };
    await provided(script, async (dialer) => {
      const result = await dialer.dial(aRequest(`${ORIGIN}/`), someLimits(), anywhere, controller.signal);
      expect(brief(result)).to.match(/^cancelled cancelled sent=true status=(200|null)$/);
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
        expect(brief(await running)).to.equal('cancelled cancelled sent=true status=null');
        expect(brief(await dial(dialer, aRequest(`${ORIGIN}/`)))).to.equal(
          'cancelled cancelled sent=false status=null',
        );
        expect(server.requests.length).to.equal(1);
      },
    );
  });

  it('breaks connections that are being made', async () => {
    await provided(says(answer('ok')), async (dialer, server) => {
      const running = dial(dialer, aRequest(`${ORIGIN}/`));
      await dialer.destroy();
      expect(brief(await running)).to.equal('cancelled cancelled sent=false status=null');
      expect(server.requests).to.deep.equal([]);
    });
  });
});
