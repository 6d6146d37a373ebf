import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Agent as HttpAgent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { metadataOf, readJson, textOf } from './json.ts';
import { JournalWriter, type PendingRequest, type Journal } from './journal.ts';
import { parseKubeRequest, type KubeRequest } from './kube-request.ts';
import { statusBody, type Action, type MadeAnswer, type Rule } from './rules.ts';
import { LineSplitter, WatchEventNamer, type StreamEditor, type WatchEditor, type WatchOut } from './watch-stream.ts';
import { openWatchOut } from './watch-out.ts';
import { WritePointNamer, type WritePoint } from './write-points.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** Plain HTTP in front of an API server; journals and disturbs the requests of one process. */
export interface CountingProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly journal: Journal;
  /** Names of the writes, in order of arrival. */
  readonly points: () => readonly WritePoint[];
  /** Names of the watch events that the server sent, in order of their first arrival. */
  readonly eventNames: () => readonly string[];
  /** @returns removes the rule again */
  readonly addRule: (rule: Rule) => () => void;
  /** undefined: watches are not edited. Also applies to open watches, from their next line on. */
  readonly editWatches: (editor: WatchEditor | undefined) => void;
  /** Ends every open watch cleanly. */
  readonly endWatches: () => void;
  /** Packets are lost in both directions: no answers arrive, no connection closes. */
  readonly partition: () => void;
  /** Ends a partition; requests whose caller is gone by then are never sent. */
  readonly heal: () => void;
  readonly openWatches: () => number;
  readonly close: () => Promise<void>;
}

export interface ProxyOptions {
  /** `https://127.0.0.1:PORT`, or http in tests of the rig. */
  readonly upstream: string;
  /** PEM; required for https. */
  readonly ca?: string;
  /** Lifetime of a watch in seconds, in place of the caller's value, so that reconnects happen soon. */
  readonly watchSeconds?: () => number;
  /** Monotonic ms. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'accept-encoding', 'content-length']);
const passed = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP.has(name)));

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A request in progress and all that is known about it. */
interface Passing {
  readonly request: KubeRequest;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly sent: unknown;
  readonly at: PendingRequest;
}

/** The server's answer; status 0 without an answer. */
interface Upstream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const NOTHING: Upstream = { status: 0, headers: {}, body: Buffer.alloc(0) };

interface OpenStream {
  readonly request: KubeRequest;
  readonly out: WatchOut;
  editor: StreamEditor | undefined;
}

class Proxy {
  readonly journal: JournalWriter;
  readonly rules: Rule[] = [];
  readonly points: WritePoint[] = [];
  readonly eventNames = new Set<string>();
  readonly sockets = new Set<Socket>();
  #editor: WatchEditor | undefined;
  readonly #streams = new Set<OpenStream>();
  #gate: { readonly open: Promise<void>; readonly heal: () => void } | undefined;
  readonly #namer = new WritePointNamer();
  readonly #eventNamer = new WatchEventNamer();
  readonly #options: ProxyOptions;
  readonly #agent: HttpAgent | HttpsAgent;
  readonly #held = new Set<() => void>();

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.journal = new JournalWriter(options.now ?? (() => performance.now()));
    this.#agent = options.upstream.startsWith('https:')
      ? new HttpsAgent({ keepAlive: true, ca: options.ca })
      : new HttpAgent({ keepAlive: true });
  }

  edit(editor: WatchEditor | undefined): void {
    this.#editor = editor;
    for (const stream of this.#streams) stream.editor = editor?.(stream.request);
  }

  endWatches(): void {
    for (const { out } of this.#streams) out.end();
  }

  openWatches(): number {
    return this.#streams.size;
  }

  partition(): void {
    if (this.#gate !== undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = { open: promise, heal: resolve };
  }

  heal(): void {
    this.#gate?.heal();
    this.#gate = undefined;
    for (const wake of this.#held) wake();
    this.#held.clear();
  }

  readonly #sleep = async (ms: number): Promise<void> => {
    await (this.#options.sleep ?? delay)(ms);
  };

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    await this.#gate?.open;
    if (outgoing.destroyed) return;
    const sent = body.length === 0 ? undefined : readJson(body.toString('utf8'));
    const asked = parseKubeRequest(incoming.method ?? '', incoming.url ?? '');
    const name = asked.name ?? (asked.verb === 'create' ? textOf(metadataOf(sent)['name']) : undefined);
    const request: KubeRequest = name === undefined ? asked : { ...asked, name };
    const point = this.#namer.name(request);
    if (point !== undefined) this.points.push(point);
    const passing = { request, incoming, outgoing, body, sent, at: this.journal.arrived(request) };
    const action = this.rules.reduce<Action | undefined>((found, rule) => found ?? rule({ request, point }), undefined);
    await this.#act(passing, action);
  }

  async #act(passing: Passing, action: Action | undefined): Promise<void> {
    if (action?.kind === 'answer') {
      this.#showMade(passing, action.answer, NOTHING);
      return;
    }
    if (action?.kind === 'delay') {
      await this.#sleep(action.ms);
      if (passing.outgoing.destroyed) {
        this.#note(passing, NOTHING, 0);
        return;
      }
    }
    if (action?.kind === 'kill' && action.when === 'before-send') {
      await action.kill();
      passing.outgoing.destroy();
      this.#note(passing, NOTHING, 0);
      return;
    }
    if (passing.request.verb === 'watch') await this.#watch(passing);
    else await this.#forward(passing, action);
  }

  async #forward(passing: Passing, action: Action | undefined): Promise<void> {
    const answer = await this.#ask(passing);
    await this.#gate?.open;
    if (action?.kind === 'applied') {
      this.#showMade(passing, action.answer, answer);
      return;
    }
    if (action?.kind === 'kill' && action.when === 'after-send') {
      await action.kill();
      passing.outgoing.destroy();
      this.#note(passing, answer, 0);
      return;
    }
    this.#note(passing, answer, answer.status);
    await this.#relay(passing, answer);
    if (action?.kind === 'kill') await action.kill();
  }

  async #relay({ outgoing }: Passing, answer: Upstream): Promise<void> {
    if (answer.status === 0) {
      outgoing.socket?.resetAndDestroy();
      return;
    }
    outgoing.writeHead(answer.status, { ...passed(answer.headers), 'content-length': answer.body.length });
    await new Promise<void>((resolve) => {
      outgoing.once('close', resolve);
      outgoing.end(answer.body, resolve);
    });
  }

  #showMade(passing: Passing, made: MadeAnswer, answer: Upstream): void {
    const retry = made.retryAfterSeconds;
    passing.outgoing.writeHead(made.status, {
      'content-type': 'application/json',
      ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    });
    passing.outgoing.end(statusBody(made));
    this.#note(passing, answer, made.status);
  }

  #note({ request, at, sent }: Passing, { status, body }: Upstream, shown: number): void {
    const small = request.verb !== 'list' && request.verb !== 'watch' && request.verb !== 'other';
    const got = small && body.length > 0 ? readJson(body.toString('utf8')) : undefined;
    this.journal.answered(request, at, { status, shown, sent, got });
  }

  #open(incoming: IncomingMessage): ClientRequest {
    const target = new URL(incoming.url ?? '/', this.#options.upstream);
    const seconds = this.#options.watchSeconds?.();
    if (seconds !== undefined && target.searchParams.has('timeoutSeconds'))
      target.searchParams.set('timeoutSeconds', String(seconds));
    const options = {
      method: incoming.method ?? 'GET',
      agent: this.#agent,
      headers: { ...passed(incoming.headers), host: target.host },
    };
    return this.#agent instanceof HttpsAgent ? httpsRequest(target, options) : httpRequest(target, options);
  }

  /** Never rejects: a server that can't be reached is an answer with status 0. */
  async #ask({ incoming, body }: Passing): Promise<Upstream> {
    return new Promise((resolve) => {
      const upstream = this.#open(incoming);
      upstream.on('error', () => resolve(NOTHING));
      upstream.on('response', (answer) => {
        readAll(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes }),
          () => resolve(NOTHING),
        );
      });
      if (body.length > 0) upstream.setHeader('content-length', body.length);
      upstream.end(body);
    });
  }

  /** Resolves when the server has begun to answer; the stream then continues by itself. */
  async #watch(passing: Passing): Promise<void> {
    const upstream = this.#open(passing.incoming);
    passing.outgoing.on('close', () => upstream.destroy());
    const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
      upstream.on('error', () => resolve(undefined));
      upstream.on('response', resolve);
      upstream.end();
    });
    if (answer?.statusCode === 200) {
      this.#note(passing, { ...NOTHING, status: 200 }, 200);
      this.#stream(passing, answer);
      return;
    }
    const body = answer === undefined ? Buffer.alloc(0) : await readAll(answer).catch(() => Buffer.alloc(0));
    const got = { status: answer?.statusCode ?? 0, headers: answer?.headers ?? {}, body };
    this.#note(passing, got, got.status);
    await this.#relay(passing, got);
  }

  #stream({ request, outgoing }: Passing, answer: IncomingMessage): void {
    outgoing.writeHead(200, passed(answer.headers));
    outgoing.flushHeaders();
    const out = openWatchOut(outgoing, answer);
    const stream: OpenStream = { request, out, editor: this.#editor?.(request) };
    this.#streams.add(stream);
    outgoing.on('close', () => this.#streams.delete(stream));
    const lines = new LineSplitter();
    stream.editor?.opened(out);
    const handle = (bytes: Buffer): void => {
      const entry = this.journal.watched(request.resource, readJson(bytes.toString('utf8')));
      const name = this.#eventNamer.name(entry);
      if (name !== '') this.eventNames.add(name);
      if (stream.editor === undefined) out.send(bytes);
      else stream.editor.line({ bytes, entry, name }, out);
    };
    // During a partition the server's bytes are lost only if the caller gives up; otherwise they arrive late.
    const whenHealed = (step: () => void): void => {
      if (this.#gate === undefined) step();
      else this.#held.add(step);
    };
    answer.on('data', (chunk: Buffer) => whenHealed(() => lines.push(chunk).forEach(handle)));
    answer.on('end', () => whenHealed(() => out.end()));
    answer.on('error', () => whenHealed(() => out.reset()));
  }
}

/** Starts a proxy on a free loopback port. */
export async function startCountingProxy(options: ProxyOptions): Promise<CountingProxy> {
  const proxy = new Proxy(options);
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, outgoing) => {
    proxy.handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.on('connection', (socket: Socket) => {
    proxy.sockets.add(socket);
    socket.on('close', () => proxy.sockets.delete(socket));
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    journal: proxy.journal,
    points: () => [...proxy.points],
    eventNames: () => [...proxy.eventNames],
    addRule: (rule) => {
      proxy.rules.push(rule);
      return () => {
        const index = proxy.rules.indexOf(rule);
        if (index !== -1) proxy.rules.splice(index, 1);
      };
    },
    editWatches: (editor) => proxy.edit(editor),
    endWatches: () => proxy.endWatches(),
    partition: () => proxy.partition(),
    heal: () => proxy.heal(),
    openWatches: () => proxy.openWatches(),
    close: () =>
      new Promise((resolve) => {
        proxy.heal();
        server.close(() => resolve());
        for (const socket of proxy.sockets) socket.destroy();
      }),
  };
}
