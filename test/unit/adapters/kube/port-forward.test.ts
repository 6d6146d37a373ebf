import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebSocketServer } from 'ws';
import type { Connection } from '../../../../adapters/kube/connection.ts';
import { openPortForward } from '../../../../adapters/kube/port-forward.ts';
import { KubeError } from '../../../../adapters/kube/port.ts';
import { listenOnLoopback } from '../../../../adapters/process/listen.ts';

interface Asked {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** An API server that refuses tokens but `good`, and greets at once on a forwarded port. */
async function anApiServer(status?: object): Promise<{ url: string; asked: Asked[]; close: () => Promise<void> }> {
  const asked: Asked[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { url = '', headers } = request;
    asked.push({ url, headers });
    const refusal =
      headers.authorization === 'Bearer good' ? status : { code: 401, reason: 'Unauthorized', message: 'who?' };
    if (refusal !== undefined) {
      const { code } = { code: 403, ...refusal };
      const body = JSON.stringify({ kind: 'Status', ...refusal });
      socket.end(`HTTP/1.1 ${code} No\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      for (const message of [
        [0, 80, 0],
        [1, 80, 0],
        [0, 72, 105],
      ])
        client.send(Uint8Array.from(message));
      client.on('message', () => client.close());
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const target = { namespace: 'acme', pod: 'api-0', port: 8080 };
const signal = new AbortController().signal;
const connectionTo = (server: string, tokens: readonly string[] = ['good']): Connection => {
  let used = 0;
  return {
    server,
    headers: { 'impersonate-user': 'ann' },
    authorization: async (refresh) => {
      if (refresh) used += 1;
      return `Bearer ${tokens[Math.min(used, tokens.length - 1)]}`;
    },
  };
};

describe('openPortForward', () => {
  let api: Awaited<ReturnType<typeof anApiServer>>;
  afterEach(() => api.close());

  it('asks for the port of the pod as the user of the connection, and loses nothing that is said at once', async () => {
    api = await anApiServer();
    const stream = await openPortForward(connectionTo(api.url), target, signal);
    stream.write('bye');
    expect((await buffer(stream)).toString()).to.equal('Hi');
    expect(api.asked[0]?.url).to.equal('/api/v1/namespaces/acme/pods/api-0/portforward?ports=8080');
    expect(api.asked[0]?.headers).to.include({
      authorization: 'Bearer good',
      'impersonate-user': 'ann',
      'sec-websocket-protocol': 'v4.channel.k8s.io',
    });
  });

  it('reads the credentials again when they are refused, once', async () => {
    api = await anApiServer();
    const stream = await openPortForward(connectionTo(api.url, ['old', 'good']), target, signal);
    stream.destroy();
    expect(api.asked.length).to.equal(2);
    const error: unknown = await openPortForward(connectionTo(api.url, ['old']), target, signal).catch(
      (e: unknown) => e,
    );
    expect(error instanceof KubeError && [error.status, error.message]).to.deep.equal([401, 'who?']);
    expect(api.asked.length).to.equal(4);
  });

  it('tells what the API server says instead of the upgrade', async () => {
    api = await anApiServer({ code: 403, reason: 'Forbidden', message: 'ann may not' });
    const error: unknown = await openPortForward(connectionTo(api.url), target, signal).catch((e: unknown) => e);
    expect(error instanceof KubeError && [error.status, error.reason, error.message]).to.deep.equal([
      403,
      'Forbidden',
      'ann may not',
    ]);
  });

  it('is not answered where nobody listens', async () => {
    api = await anApiServer();
    await api.close();
    const error: unknown = await openPortForward(connectionTo(api.url), target, signal).catch((e: unknown) => e);
    expect(error instanceof KubeError && error.status).to.equal(0);
    api = await anApiServer();
  });

  it('ends with its signal: before, while credentials are read, while it opens, and when it is open', async () => {
    api = await anApiServer();
    const reason = new Error('stopped');
    const open = (at: AbortSignal): Promise<unknown> =>
      openPortForward(connectionTo(api.url), target, at).catch((error: unknown) => error);
    expect(await open(AbortSignal.abort(reason))).to.equal(reason);
    const early = new AbortController();
    const asking = open(early.signal);
    early.abort(reason);
    expect(await asking).to.equal(reason);
    const during = new AbortController();
    const silent = createServer().on('upgrade', () => during.abort(reason));
    const port = await listenOnLoopback(silent);
    const opening = openPortForward(connectionTo(`http://127.0.0.1:${port}`), target, during.signal);
    expect(await opening.catch((error: unknown) => error)).to.equal(reason);
    silent.close();
    const after = new AbortController();
    const stream = await openPortForward(connectionTo(api.url), target, after.signal);
    const failed = once(stream, 'error');
    after.abort(reason);
    expect(await failed).to.deep.equal([reason]);
  });
});
