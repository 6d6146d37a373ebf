import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { openLog, type LogOptions, type ProcessLog } from '../../../../adapters/telemetry/logger.ts';
import { createRedactor } from '../../../../core/redaction/create-redactor.ts';

const NOW = Date.parse('2026-11-20T10:00:00.123Z');
const SECRET = 'cnry-"s3cret"/value';
const redactor = createRedactor([{ name: 'KEY', value: new TextEncoder().encode(SECRET) }]);

interface Opened extends ProcessLog {
  readonly text: () => Promise<string>;
  readonly last: () => Promise<Readonly<Record<string, unknown>>>;
}

function open(some: Partial<LogOptions> = {}): Opened {
  let written = '';
  const target = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      written += String(chunk);
      done();
    },
  });
  const log = openLog({ level: 'debug', style: 'json', target, now: () => NOW, ...some });
  const text = async (): Promise<string> => {
    await log.logger.flush();
    return written;
  };
  const last = async (): Promise<Readonly<Record<string, unknown>>> => {
    const value: unknown = JSON.parse((await text()).trimEnd().split('\n').at(-1) ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  };
  return { ...log, text, last };
}

describe('openLog', () => {
  it('writes one JSON object a line: time, level, message, fields', async () => {
    const { logger, text } = open();
    logger.info('run', { run_id: 'run_1', duration_ms: 12 });
    logger.warn('two\nlines');
    expect(await text()).to.equal(
      '{"time":"2026-11-20T10:00:00.123Z","level":"info","message":"run","run_id":"run_1","duration_ms":12}\n' +
        '{"time":"2026-11-20T10:00:00.123Z","level":"warn","message":"two\\nlines"}\n',
    );
  });

  it('writes no stack for each failure of one cause, and says how many there were', async () => {
    const log = open();
    for (let number = 0; number < 500; number += 1)
      log.logger.error('a run could not be started', { run_id: `run_${number}`, error: new Error('its disk is full') });
    const lines = (await log.text()).trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('"stack"'))).to.have.length(3);
    expect(lines.at(-1)).to.include('"level":"warn","message":"more lines of one cause were left out"');
    expect(lines.at(-1)).to.include('"of":"a run could not be started","lines":497');
    expect(log.leftOutLines()).to.equal(497);
  });

  it('leaves out what is below its level', async () => {
    const { logger, text } = open({ level: 'warn' });
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect((await text()).match(/"message":"."/g)).to.deep.equal(['"message":"c"', '"message":"d"']);
  });

  it('adds the fields of a child to each of its lines, the line’s own first', async () => {
    const { logger, last } = open();
    logger.child({ run_id: 'run_1', tenant: 'acme' }).child({ tenant: 'globex' }).info('x', { n: 1 });
    expect(await last()).to.deep.include({ run_id: 'run_1', tenant: 'globex', n: 1 });
  });

  it('does not let a field pass for time, level or message', async () => {
    const { logger, last } = open();
    logger.info('real', { time: 'x', level: 'error', message: 'false' });
    expect(await last()).to.deep.equal({ time: '2026-11-20T10:00:00.123Z', level: 'info', message: 'real' });
  });

  it('removes a known value from message, fields, keys, errors, causes and stacks', async () => {
    const { logger, addRedactor, text } = open();
    addRedactor(redactor);
    const error = new Error(`boom ${SECRET}`, {
      cause: new TypeError(`inner ${Buffer.from(SECRET).toString('base64')}`),
    });
    Object.assign(error, { code: SECRET, request: { headers: SECRET } });
    logger.child({ [SECRET]: 1 }).error(`m ${SECRET}`, { error, list: [{ a: encodeURIComponent(SECRET) }] });
    const line = await text();
    expect(line.match(/\[redacted:KEY\]/g)).to.have.length(8);
    expect(line).to.not.match(/s3cret|czNjcmV0|request/);
    expect(JSON.parse(line)).to.have.nested.property('error.cause.name', 'TypeError');
  });

  it('removes a value that the cut of a long text would have cut in two', async () => {
    const { logger, addRedactor, text } = open();
    addRedactor(redactor);
    logger.info('long', { body: `${'x'.repeat(8185)}${SECRET}${'y'.repeat(5000)}` });
    expect(await text()).to.not.contain('cnry-');
  });

  it('cuts a long text, a long list and a deep value', async () => {
    const { logger, last } = open();
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 50; depth += 1) deep = { deep };
    logger.info('long', { body: 'x'.repeat(10_000), list: Array.from({ length: 100 }, () => 1), deep });
    const { body, list, deep: cut } = await last();
    expect(body).to.equal(`${'x'.repeat(8192)}…`);
    expect(list).to.have.length(64);
    expect(JSON.stringify(cut)).to.contain('[…]').and.not.contain('bottom');
  });

  it('drops credentials and URLs by the names of their fields', async () => {
    const { logger, last } = open();
    logger.info('x', {
      url: 'http://a/?t=1',
      headers: { Authorization: 'Bearer x', 'set-cookie': ['a'], accept: 'b' },
      to: new URL('http://b/?t=1'),
    });
    expect(await last()).to.deep.include({
      url: '[dropped]',
      headers: { Authorization: '[dropped]', 'set-cookie': '[dropped]', accept: 'b' },
      to: '[dropped]',
    });
  });

  it('takes any value', async () => {
    const { logger, last } = open();
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    logger.info('x', {
      a: 1n,
      b: Number.NaN,
      c: undefined,
      d: new Uint8Array(3),
      e: new Map([['k', 1]]),
      f: Symbol('s'),
      g: new Date(Number.NaN),
      h: null,
      circular,
    });
    expect(await last()).to.deep.include({
      a: '1',
      b: 'NaN',
      d: '[3 bytes]',
      e: [['k', 1]],
      g: 'Invalid Date',
      h: null,
    });
  });

  it('forgets a redactor that is taken away', async () => {
    const { logger, addRedactor, removeRedactor, last } = open();
    addRedactor(redactor);
    removeRedactor(redactor);
    logger.info(SECRET);
    expect((await last())['message']).to.equal(SECRET);
  });

  it('writes for people: nothing from outside begins a line or steers the terminal', async () => {
    const { logger, addRedactor, text } = open({ style: 'pretty' });
    addRedactor(redactor);
    logger.warn(`bad \u001b[31mred\n10:00:00.000 INFO  forged ${SECRET}`, { n: 1, o: { a: 'b' }, url: 'x' });
    expect(await text()).to.equal(
      '10:00:00.123 WARN  bad \ufffd[31mred\n    10:00:00.000 INFO  forged [redacted:KEY] n=1 o={"a":"b"} url=[dropped]\n',
    );
  });

  it('appends to a file that only its owner reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'orb-log-'));
    const target = join(folder, 'orb.log');
    for (const message of ['one', 'two']) {
      const { logger } = openLog({ level: 'info', style: 'json', target, now: () => NOW });
      logger.info(message);
      await logger.flush();
    }
    expect((await readFile(target, 'utf8')).split('\n')).to.have.length(3);
    expect((await stat(target)).mode & 0o777).to.equal(0o600);
    await rm(folder, { recursive: true });
  });

  it('goes on when its target fails', async () => {
    const target = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
    const { logger } = openLog({ level: 'info', style: 'json', target, now: () => NOW });
    logger.info('lost');
    await logger.flush();
    logger.info('lost too');
    await logger.flush();
    expect(target.destroyed).to.equal(true);
  });

  it('drops and counts lines when nobody takes them', async () => {
    const taken: string[] = [];
    const waiting: (() => void)[] = [];
    const target = new Writable({
      decodeStrings: false,
      write: (chunk: unknown, _encoding, done) => {
        taken.push(String(chunk));
        waiting.push(done);
      },
    });
    const { logger } = openLog({ level: 'info', style: 'json', target, now: () => NOW });
    for (let line = 0; line < 2000; line += 1) logger.info('x'.repeat(8000));
    while (waiting.length > 0) waiting.pop()?.();
    logger.info('after');
    const flushed = logger.flush();
    while (waiting.length > 0) waiting.pop()?.();
    await flushed;
    expect(taken.join('').length).to.be.below(9 * 1024 * 1024);
    expect(taken.join('')).to.match(/"message":"log lines were dropped","lines":\d+\}\n$/);
  });
});
