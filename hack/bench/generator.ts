// Closed-loop load over raw keep-alive sockets: one pre-built request, `concurrency` connections, `seconds` long.
// Reads one JSON line of settings from stdin, prints one JSON line of measurements.
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Answers } from './answers.ts';

export interface LoadSettings {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Default POST. A GET has no body. */
  readonly method?: 'GET';
  readonly body: string;
  /** Any other status is an error; default 200. */
  readonly status?: number;
  readonly concurrency: number;
  /** Requests a second over all connections. Default: each connection sends as soon as it has its answer. */
  readonly rate?: number;
  readonly seconds: number;
  /** File that receives a line per acknowledged receipt id. */
  readonly acks?: string;
  /** Each request gets an `Idempotency-Key` that no other request has. */
  readonly keyed?: true;
  /** The server will be killed: broken connections end the load instead of failing it. */
  readonly mayBreak?: true;
}

export interface LoadResult {
  readonly requests: number;
  readonly errors: number;
  readonly firstError: string;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly cpuMicros: number;
}

const RECEIPT_ID = /"receipt_id":"(rcpt_[^"]+)"/;

const build = (settings: LoadSettings): Buffer => {
  const lines = Object.entries(settings.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (settings.method === 'GET') return Buffer.from(`${lines.join('')}\r\n`);
  const length = Buffer.byteLength(settings.body);
  return Buffer.from(
    `content-type: application/json\r\ncontent-length: ${length}\r\n${lines.join('')}\r\n${settings.body}`,
  );
};

/** Makes the requests: always the same one, unless each has a key of its own. */
const requestsOf = (settings: LoadSettings): (() => Buffer) => {
  const start = `${settings.method ?? 'POST'} ${settings.path} HTTP/1.1\r\nhost: 127.0.0.1:${settings.port}\r\n`;
  const rest = build(settings);
  const request = Buffer.concat([Buffer.from(start), rest]);
  if (settings.keyed !== true) return () => request;
  const keys = randomUUID();
  let number = 0;
  return () => {
    number += 1;
    return Buffer.concat([Buffer.from(`${start}idempotency-key: ${keys}-${number}\r\n`), rest]);
  };
};

class Load {
  readonly settings: LoadSettings;
  readonly request: () => Buffer;
  readonly latencies: number[] = [];
  readonly began: number;
  readonly until: number;
  errors = 0;
  firstError = '';

  constructor(settings: LoadSettings) {
    this.settings = settings;
    this.request = requestsOf(settings);
    this.began = performance.now();
    this.until = this.began + settings.seconds * 1000;
  }

  /** When the connection `index` sends its request `count`, with a rate. */
  #dueAt(index: number, count: number, rate: number): number {
    return this.began + ((index + count * this.settings.concurrency) * 1000) / rate;
  }

  note(status: number, body: Buffer): void {
    if (status !== (this.settings.status ?? 200)) {
      this.errors += 1;
      this.firstError ||= `${status} ${body.toString('utf8', 0, 300)}`;
      return;
    }
    if (this.settings.acks === undefined) return;
    const id = RECEIPT_ID.exec(body.toString('utf8'))?.[1];
    if (id !== undefined) appendFileSync(this.settings.acks, `${id}\n`);
  }

  worker(index: number): Promise<void> {
    const { rate } = this.settings;
    let count = 0;
    return new Promise((resolve) => {
      const socket: Socket = connect(this.settings.port, '127.0.0.1');
      socket.setNoDelay(true);
      let began = 0;
      const answers = new Answers();
      /** @param due when it was to be sent: a request that had to wait for the answer before it counts from then */
      const send = (due: number): void => {
        if (performance.now() >= this.until) {
          socket.destroy();
          resolve();
          return;
        }
        began = due;
        socket.write(this.request());
      };
      const next = (): void => {
        const now = performance.now();
        const due = rate === undefined ? now : this.#dueAt(index, count, rate);
        count += 1;
        if (due <= now) send(due);
        else setTimeout(() => send(performance.now()), due - now);
      };
      socket.on('connect', next);
      socket.on('data', (chunk) => {
        const answer = answers.take(chunk);
        if (answer === undefined) return;
        this.latencies.push(performance.now() - began);
        this.note(answer.status, answer.body);
        next();
      });
      const broken = (): void => {
        if (this.settings.mayBreak !== true && performance.now() < this.until) {
          this.errors += 1;
          this.firstError ||= 'connection broken';
        }
        resolve();
      };
      socket.on('error', broken);
      socket.on('close', broken);
    });
  }
}

const at = (sorted: Float64Array, quantile: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.NaN;

const runLoad = async (settings: LoadSettings): Promise<LoadResult> => {
  const load = new Load(settings);
  const began = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: settings.concurrency }, (_, index) => load.worker(index)));
  const used = process.cpuUsage(cpu);
  const sorted = Float64Array.from(load.latencies).toSorted();
  return {
    requests: sorted.length,
    errors: load.errors,
    firstError: load.firstError,
    seconds: (performance.now() - began) / 1000,
    p50: at(sorted, 0.5),
    p99: at(sorted, 0.99),
    max: at(sorted, 1),
    cpuMicros: used.user + used.system,
  };
};

const isSettings = (value: unknown): value is LoadSettings =>
  typeof value === 'object' && value !== null && 'port' in value && 'concurrency' in value && 'body' in value;

const input: Buffer[] = [];
for await (const chunk of process.stdin) if (Buffer.isBuffer(chunk)) input.push(chunk);
const settings: unknown = JSON.parse(Buffer.concat(input).toString('utf8'));
if (!isSettings(settings)) throw new TypeError('settings expected on stdin');
process.stdout.write(`${JSON.stringify(await runLoad(settings))}\n`);
