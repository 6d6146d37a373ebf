import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { createLogger as createWinston, format, transports, type Logger as Winston } from 'winston';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import { logFields } from './log-value.ts';
import { LineLimit } from './line-limit.ts';
import { lineWriter, type LineWriter } from './line-writer.ts';
import type { LogFields, Logger } from './port.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogOptions {
  readonly level: LogLevel;
  /** JSON lines, or lines for people. */
  readonly style: 'json' | 'pretty';
  /** Target of the lines: a stream (it is not closed), or a file that is appended to (mode 0600). */
  readonly target: Writable | string;
  /** Ms since epoch. */
  readonly now: () => number;
}

/** The log of one process, and the values that must never appear in it. */
export interface ProcessLog {
  readonly logger: Logger;
  /** In effect from the next line on; adding the same redactor twice counts once. */
  readonly addRedactor: (redactor: Redactor) => void;
  readonly removeRedactor: (redactor: Redactor) => void;
  /** Lines of errors that were left out since the start, because others said the same (`line-limit.ts`). */
  readonly leftOutLines: () => number;
}

interface Line {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: JsonObject;
}

// winston's key of the finished text (its dependency triple-beam): a registered symbol, part of its interface.
const MESSAGE = Symbol.for('message');
const LEVEL_WIDTH = 5;
const MAX_TEXT = 8192;

const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;

/** Long texts are cut only here, after redaction: half of a secret would not be found. */
function stringify(value: JsonValue): string {
  const whole = JSON.stringify(value);
  return whole.length > MAX_TEXT ? JSON.stringify(value, (_name, member: unknown) => cut(member)) : whole;
}

const prettyValue = (value: JsonValue): string => (typeof value === 'string' ? String(cut(value)) : stringify(value));

function prettyLine({ time, level, message, fields }: Line): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${prettyValue(value)}`);
  const text = [time.slice(11, 23), level.toUpperCase().padEnd(LEVEL_WIDTH), prettyValue(message), ...rest].join(' ');
  // External text must be able neither to begin a line nor to control the terminal.
  return text.replaceAll(/\p{Cc}|[\u2028\u2029]/gu, (unit) => (unit === '\n' ? '\n    ' : '\ufffd'));
}

function jsonLine({ fields, ...own }: Line): string {
  return stringify(Object.assign({ ...own }, fields, own));
}

/** The last step before a line is written (security.md §5): removes secret values, wherever they came from. */
function redact(
  redactors: ReadonlySet<Redactor>,
  message: string,
  fields: JsonObject,
): Pick<Line, 'message' | 'fields'> {
  let line: JsonObject = { message, fields };
  for (const redactor of redactors) {
    const { value } = redactor.json(line);
    if (isJsonObject(value)) line = value;
  }
  const { message: text, fields: rest } = line;
  return { message: typeof text === 'string' ? text : '', fields: isJsonObject(rest) ? rest : {} };
}

const isLevel = (level: string): level is LogLevel => ['debug', 'info', 'warn', 'error'].includes(level);

/** winston's format. Only known members reach the line. */
const orbFormat = (options: LogOptions, redactors: ReadonlySet<Redactor>): ReturnType<ReturnType<typeof format>> =>
  format((info) => {
    const fields: unknown = info['fields'];
    const clean = redact(redactors, String(info.message), logFields(isJsonObject(fields) ? fields : {}));
    const level = isLevel(info.level) ? info.level : 'info';
    const line = { time: new Date(options.now()).toISOString(), level, ...clean };
    info[MESSAGE] = options.style === 'json' ? jsonLine(line) : prettyLine(line);
    return info;
  })();

/** A stream for winston that passes whole lines to the buffer. */
const intoWriter = (writer: LineWriter): Writable =>
  new Writable({
    decodeStrings: false,
    write: (line: unknown, _encoding, done) => {
      writer.write(String(line));
      done();
    },
  });

const silent = (): void => undefined;

interface Sink {
  readonly winston: Winston;
  readonly writer: LineWriter;
  readonly limit: LineLimit;
}

function loggerOf(sink: Sink, own: LogFields): Logger {
  const { winston, writer, limit } = sink;
  // winston sends a line of a disabled level through its whole stream before it drops it.
  const at = (level: LogLevel): Logger['debug'] =>
    winston.isLevelEnabled(level)
      ? (message, given) => {
          const fields = typeof given === 'function' ? given() : given;
          if (!limit.admits(message, fields)) return;
          winston.log(level, message, { fields: fields === undefined ? own : { ...own, ...fields } });
        }
      : silent;
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => loggerOf(sink, { ...own, ...fields }),
    flush: () => {
      limit.flush();
      return writer.flush();
    },
  };
}

function openTarget(target: Writable | string): Writable {
  const stream = typeof target === 'string' ? createWriteStream(target, { flags: 'a', mode: 0o600 }) : target;
  // The missing lines report a failing target. Without a listener its error would end the process.
  stream.on('error', () => undefined);
  return stream;
}

/** Opens the log of this process (winston). Lines are written within 50 ms, or by `flush`. */
export function openLog(options: LogOptions): ProcessLog {
  const redactors = new Set<Redactor>();
  const lost = (lines: number): string => {
    const line = {
      time: new Date(options.now()).toISOString(),
      level: 'warn',
      message: 'log lines were dropped',
      fields: { lines },
    } as const;
    return options.style === 'json' ? jsonLine(line) : prettyLine(line);
  };
  const writer = lineWriter(openTarget(options.target), lost);
  const winston = createWinston({
    level: options.level,
    levels: { error: 0, warn: 1, info: 2, debug: 3 },
    format: orbFormat(options, redactors),
    transports: [new transports.Stream({ stream: intoWriter(writer), eol: '' })],
  });
  const limit = new LineLimit({
    now: options.now,
    report: ({ message, lines }) =>
      winston.log('warn', 'more lines of one cause were left out', { fields: { of: message, lines } }),
  });
  return {
    logger: loggerOf({ winston, writer, limit }, {}),
    leftOutLines: () => limit.leftOut(),
    addRedactor: (redactor) => void redactors.add(redactor),
    removeRedactor: (redactor) => void redactors.delete(redactor),
  };
}
