import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { setImmediate as turn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

const base64 = (text: string, before: number): string => Buffer.from(`${'x'.repeat(before)}${text}`).toString('base64');
const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
const units = (text: string, unit: (code: string) => string): string =>
  Array.from({ length: text.length }, (_, at) => unit(text.charCodeAt(at).toString(16).padStart(4, '0'))).join('');

/** Ways to spell a secret inside a text. */
const spell: Readonly<Record<string, (text: string) => string>> = {
  raw: (text) => text,
  base64: (text) => base64(text, 0),
  'base64-1': (text) => base64(text, 1),
  'base64-2': (text) => base64(text, 2),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64url-1': (text) => Buffer.from(`x${text}`).toString('base64url'),
  hex: (text) => Buffer.from(text).toString('hex'),
  'hex-upper': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  url: encodeURIComponent,
  'url-lower': (text) => encodeURIComponent(text).replaceAll(/%[0-9A-F]{2}/g, (part) => part.toLowerCase()),
  form: (text) => new URLSearchParams({ x: text }).toString(),
  json: (text) => JSON.stringify({ said: text }),
  html: (text) => `<p>${escapeHtml(text)}</p>`,
  error: (text) => `invalid credentials: ${text}, try again`,
};

const asJson = (values: readonly string[]): string =>
  JSON.stringify({ id: 'id-1', echo: values, keys: Object.fromEntries(values.map((value) => [value, value])) });

const JSON_TYPE = { 'content-type': 'application/json' };

async function dribble(response: ServerResponse, bytes: Buffer, size: number): Promise<void> {
  for (let from = 0; from < bytes.length; from += size) {
    response.write(bytes.subarray(from, from + size));
    await turn();
  }
  response.end();
}

type Send = (response: ServerResponse, status: number, values: readonly string[]) => void | Promise<void>;

const compressed =
  (encoding: string, compress: (bytes: Buffer) => Buffer): Send =>
  (response, status, values) => {
    response.writeHead(status, { ...JSON_TYPE, 'content-encoding': encoding });
    response.end(compress(Buffer.from(asJson(values))));
  };

/** Ways to put values into an answer. */
const send: Readonly<Record<string, Send>> = {
  json: (response, status, values) => void response.writeHead(status, JSON_TYPE).end(asJson(values)),
  escaped: (response, status, values) => {
    const all = values.map((value) => `"${units(value, (code) => String.raw`\u${code}`)}"`);
    response.writeHead(status, JSON_TYPE).end(`{"id":"id-1","echo":[${all.join(',')}]}`);
  },
  text: (response, status, values) =>
    void response.writeHead(status, { 'content-type': 'text/plain' }).end(values.join(' ')),
  bytes: (response, status, values) => {
    response.writeHead(status, JSON_TYPE);
    return dribble(response, Buffer.from(asJson(values)), 1);
  },
  chunks: (response, status, values) => {
    response.writeHead(status, { 'content-type': 'text/plain' });
    return dribble(response, Buffer.from(values.join('\n')), 7);
  },
  headers: (response, status, values) => {
    // Bytes of UTF-8 stand in headers as they are, control characters and long values don't.
    const bytes = values.map((value) => Buffer.from(value).toString('latin1'));
    const safe = bytes.filter((value) => value.length < 2000 && !/[^\x20-\x7e\x80-\xff]/.test(value));
    response.writeHead(status, { ...JSON_TYPE, 'x-echo': safe, 'set-cookie': `session=${safe[0] ?? ''}` });
    response.end('{"id":"id-1"}');
  },
  location: (response, _status, values) => {
    response.writeHead(302, { location: `https://elsewhere.example/?token=${encodeURIComponent(values[0] ?? '')}` });
    response.end();
  },
  type: (response, status, values) =>
    void response
      .writeHead(status, { 'content-type': `application/json; said="${(values[0] ?? '').slice(0, 120)}"` })
      .end(asJson(values)),
  reason: (response, status, values) => void response.writeHead(status, values[0] ?? '', JSON_TYPE).end('{"id":7}'),
  gzip: compressed('gzip', gzipSync),
  br: compressed('br', brotliCompressSync),
  deflate: compressed('deflate', deflateSync),
  zstd: compressed('zstd', zstdCompressSync),
  'not-gzip': (response, status, values) => {
    response.writeHead(status, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(asJson(values));
  },
  'wrong-encoding': (response, status, values) => {
    const encoding = (values[0] ?? '').slice(0, 60);
    response.writeHead(status, { ...JSON_TYPE, 'content-encoding': encoding }).end(asJson(values));
  },
  'half-json': (response, status, values) => {
    response.writeHead(status, JSON_TYPE).end(asJson(values).slice(0, -1));
  },
  cut: (response, status, values) => {
    const text = asJson(values);
    response.writeHead(status, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) + 100 });
    response.write(text, () => response.socket?.destroy());
  },
  garbage: (response, _status, values) =>
    void response.socket?.end(`HTTP/1.1 2OO ${values[0]}\r\n${values[0]}\r\n\r\n`),
  'too-large': (response, status, values) => {
    response.writeHead(status, JSON_TYPE).end(asJson([...values, 'x'.repeat(200_000)]));
  },
};

export const SPELLINGS: readonly string[] = Object.keys(spell);
export const SENDINGS: readonly string[] = Object.keys(send);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

async function receivedValues(request: IncomingMessage): Promise<readonly string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  const values = typeof body === 'object' && body !== null && 'values' in body ? body.values : [];
  const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
  return [...(token === '' ? [] : [token]), ...(isTexts(values) ? values : [])];
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, sending = '', spelling = '', status = ''] = new URL(request.url ?? '/', 'http://provider').pathname.split(
    '/',
  );
  const values = (await receivedValues(request)).map(spell[spelling] ?? String);
  await send[sending]?.(response, Number(status), values);
}

const listener: RequestListener = (request, response) => {
  echo(request, response).catch(() => response.destroy());
};

/**
 * A provider that sends every secret that it gets back: `/SENDING/SPELLING/STATUS`.
 * @param tls key and certificate in PEM: https; absent: http
 */
export async function startEcho(tls?: {
  readonly key: string;
  readonly cert: string;
}): Promise<{ readonly port: number; readonly server: Server }> {
  const server = tls === undefined ? createServer(listener) : createHttps(tls, listener);
  const port = await listenOnLoopback(server);
  return { port, server };
}
