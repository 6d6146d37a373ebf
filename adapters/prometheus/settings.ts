import { resolve } from 'node:path';
import type { PrometheusConnection } from './credentials.ts';
import { MODES, type PrometheusMode } from './expressions.ts';
import { parseMatcher } from './matcher.ts';

/** Where figures come from, and how. */
export interface PrometheusSettings {
  readonly connection: PrometheusConnection;
  readonly mode: PrometheusMode;
  /** Of the job that scrapes the API processes. */
  readonly scrapeIntervalMs: number;
  /** Label matchers that every selector gets beside its own; '' for none. */
  readonly matcher: string;
}

/** Values of the flags, as `parseArgs` gives them. */
export interface PrometheusValues {
  readonly 'prometheus-url'?: string | undefined;
  readonly 'prometheus-mode'?: string | undefined;
  readonly 'prometheus-scrape-interval'?: string | undefined;
  readonly 'prometheus-matcher'?: string | undefined;
  readonly 'prometheus-bearer-token-file'?: string | undefined;
  readonly 'prometheus-username'?: string | undefined;
  readonly 'prometheus-password-file'?: string | undefined;
  readonly 'prometheus-cert'?: string | undefined;
  readonly 'prometheus-key'?: string | undefined;
  readonly 'prometheus-ca'?: string | undefined;
  readonly 'prometheus-header'?: readonly string[] | undefined;
}

type ParsedPrometheus =
  | { readonly ok: true; readonly settings: PrometheusSettings | undefined }
  | { readonly ok: false; readonly message: string };

const string = { type: 'string' } as const;

/** For `options` of `parseArgs`. */
export const PROMETHEUS_OPTIONS = {
  'prometheus-url': string,
  'prometheus-mode': string,
  'prometheus-scrape-interval': string,
  'prometheus-matcher': string,
  'prometheus-bearer-token-file': string,
  'prometheus-username': string,
  'prometheus-password-file': string,
  'prometheus-cert': string,
  'prometheus-key': string,
  'prometheus-ca': string,
  'prometheus-header': { type: 'string', multiple: true },
} as const;

/** Lines for a help text. */
export const PROMETHEUS_HELP = `  --prometheus-url URL        of the Prometheus that scrapes the API, with the path that it stands under
                                                                 absent: no swap by figures
  --prometheus-mode MODE      query, or recorded: its rules compute (from 500 Orbs)
                                                                 query
  --prometheus-scrape-interval DURATION   of the API, 1s to 150s 15s
  --prometheus-matcher MATCHERS   whose series count: namespace="orb-system"   any
  --prometheus-bearer-token-file FILE   a token, read again for each query; or
  --prometheus-username NAME  and
  --prometheus-password-file FILE   the password; or
  --prometheus-cert FILE      our certificate chain (PEM) and
  --prometheus-key FILE       its private key
  --prometheus-ca FILE        authorities of its certificate     the system's
  --prometheus-header NAME=VALUE   sent with each query, for example X-Scope-OrgID=orbs
`;

class WrongUsage extends Error {}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const DEFAULT_SCRAPE = '15s';
const MIN_SCRAPE_MS = 1000;
/** A window is at least four scrapes, and the longest is 10 minutes (failover.md §11 L3). */
const MAX_SCRAPE_MS = 150_000;
const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([\t\x20-\x7e]+)$/;
/** Credentials come from files; the others belong to the exchange. */
const OWN_HEADERS = /^(?:authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|accept|expect)$/i;

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new WrongUsage('--prometheus-url takes a URL, for example http://prometheus.monitoring:9090');
  if (url.username !== '' || url.password !== '')
    throw new WrongUsage(
      '--prometheus-url holds no credentials: use --prometheus-username and --prometheus-password-file',
    );
  return text;
}

function parseMode(text: string): PrometheusMode {
  const found = MODES.find((mode) => mode === text);
  if (found === undefined) throw new WrongUsage(`--prometheus-mode is one of ${MODES.join(', ')}`);
  return found;
}

function parseScrape(text: string): number {
  const [, digits, unit = ''] = /^([1-9][0-9]{0,5})(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (ms >= MIN_SCRAPE_MS && ms <= MAX_SCRAPE_MS) return ms;
  throw new WrongUsage('--prometheus-scrape-interval takes a duration from 1s to 150s: a window is at least 4 scrapes');
}

function readMatcher(text: string | undefined): string {
  const parsed = text === undefined ? ({ ok: true, matcher: '' } as const) : parseMatcher(text);
  if (parsed.ok) return parsed.matcher;
  throw new WrongUsage(
    `--prometheus-matcher takes label matchers, for example job=~"orb-(api|operator)",namespace="orb-system": ${parsed.message}`,
  );
}

function parseHeader(text: string): readonly [string, string] {
  const [, name = '', value = ''] = HEADER.exec(text) ?? [];
  if (name === '') throw new WrongUsage('--prometheus-header takes NAME=VALUE, for example X-Scope-OrgID=orbs');
  if (OWN_HEADERS.test(name))
    throw new WrongUsage(`--prometheus-header ${name}: not this one; credentials have flags of their own`);
  return [name, value];
}

/** Two flags that mean nothing alone. */
function together<T>(values: PrometheusValues, names: Pair, make: (one: string, other: string) => T): T | undefined {
  const [one, other] = [values[names[0]], values[names[1]]];
  if (one === undefined && other === undefined) return undefined;
  if (one === undefined || other === undefined) throw new WrongUsage(`--${names[0]} and --${names[1]} belong together`);
  return make(one, other);
}
type Single = Exclude<keyof PrometheusValues, 'prometheus-header'>;
type Pair = readonly [Single, Single];

function parseConnection(url: string, values: PrometheusValues): PrometheusConnection {
  const token = values['prometheus-bearer-token-file'];
  const ca = values['prometheus-ca'];
  const basic = together(values, ['prometheus-username', 'prometheus-password-file'], (username, file) => ({
    username,
    passwordFile: resolve(file),
  }));
  const client = together(values, ['prometheus-cert', 'prometheus-key'], (cert, key) => ({
    certFile: resolve(cert),
    keyFile: resolve(key),
  }));
  if (token !== undefined && basic !== undefined)
    throw new WrongUsage('--prometheus-bearer-token-file and --prometheus-username exclude each other');
  return {
    url: parseUrl(url),
    headers: Object.fromEntries((values['prometheus-header'] ?? []).map(parseHeader)),
    ...(token === undefined ? {} : { bearerTokenFile: resolve(token) }),
    ...(basic === undefined ? {} : { basic }),
    ...(client === undefined ? {} : { client }),
    ...(ca === undefined ? {} : { caFile: resolve(ca) }),
  };
}

function parse(values: PrometheusValues): PrometheusSettings | undefined {
  const url = values['prometheus-url'];
  if (url !== undefined)
    return {
      connection: parseConnection(url, values),
      mode: parseMode(values['prometheus-mode'] ?? 'query'),
      scrapeIntervalMs: parseScrape(values['prometheus-scrape-interval'] ?? DEFAULT_SCRAPE),
      matcher: readMatcher(values['prometheus-matcher']),
    };
  const lost = Object.keys(PROMETHEUS_OPTIONS).filter((name) => Object.hasOwn(values, name));
  if (lost.length > 0) throw new WrongUsage(`--${lost.join(', --')} needs --prometheus-url URL beside it`);
  return undefined;
}

/**
 * Reads the flags of the operator and of the API. Nothing is read from the files yet.
 * @param values of `parseArgs` with PROMETHEUS_OPTIONS; absent flags are absent
 * @returns undefined: no Prometheus is named; or one line for the person who starts the process
 */
export function parsePrometheus(values: PrometheusValues): ParsedPrometheus {
  try {
    return { ok: true, settings: parse(values) };
  } catch (error) {
    if (!(error instanceof WrongUsage)) throw error;
    return { ok: false, message: error.message };
  }
}
