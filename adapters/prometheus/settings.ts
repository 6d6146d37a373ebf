import { allOf, bothOf, givenOf, valueOf, type Args } from '../process/arguments.ts';
import type { Flag, ValueFlag } from '../process/flag.ts';
import { asDuration, asOneOf, asPath, asText } from '../process/flag-values.ts';
import { UsageError } from '../process/start-error.ts';
import type { PrometheusConnection } from './credentials.ts';
import { MODES, type PrometheusMode } from './expressions.ts';
import { parseMatcher } from './matcher.ts';

/** Source of the metrics, and how to query it. */
export interface PrometheusSettings {
  readonly connection: PrometheusConnection;
  readonly mode: PrometheusMode;
  /** Interval of the job that scrapes the API processes. */
  readonly scrapeIntervalMs: number;
  /** Label matchers added to every selector; '' for none. */
  readonly matcher: string;
}

const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=([\t\x20-\x7e]+)$/;
/** Credentials come from files; the other headers belong to the HTTP exchange. */
const OWN_HEADERS = /^(?:authorization|proxy-.*|cookie|host|connection|content-.*|transfer-encoding|accept|expect)$/i;

function parseUrl(text: string, flag: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new UsageError(`${flag} takes a URL, for example http://prometheus.monitoring:9090`);
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${flag} holds no credentials: use --prometheus-username and --prometheus-password-file`);
  return text;
}

function parseLabelMatcher(text: string, flag: string): string {
  const parsed = parseMatcher(text);
  if (parsed.ok) return parsed.matcher;
  throw new UsageError(
    `${flag} takes label matchers, for example job=~"orb-(api|operator)",namespace="orb-system": ${parsed.message}`,
  );
}

function parseHeader(text: string, flag: string): readonly [string, string] {
  const [, name = '', value = ''] = HEADER.exec(text) ?? [];
  if (name === '') throw new UsageError(`${flag} takes NAME=VALUE, for example X-Scope-OrgID=orbs`);
  if (OWN_HEADERS.test(name))
    throw new UsageError(`${flag} ${name}: not this one; credentials have flags of their own`);
  return [name, value];
}

const fileFlag = (name: string, text: string): ValueFlag<string> => ({ name, value: 'FILE', text, parse: asPath });

const FLAGS = {
  url: {
    name: 'prometheus-url',
    value: 'URL',
    text: 'URL of the Prometheus that scrapes the API, with its path prefix',
    otherwise: 'none: no swap by metrics',
    parse: parseUrl,
  },
  mode: {
    name: 'prometheus-mode',
    value: 'MODE',
    text: 'query, or recorded: use recording rules (from 500 Orbs)',
    fallback: 'query',
    values: MODES,
    parse: asOneOf(MODES),
  },
  scrapeInterval: {
    name: 'prometheus-scrape-interval',
    value: 'DURATION',
    // A window is at least four scrapes, and the longest is 10 minutes (failover.md §11 L3).
    text: 'time between two scrapes of the API, 1s to 150s; a window has at least 4 scrapes',
    fallback: '15s',
    parse: asDuration('1s', '150s'),
  },
  matcher: {
    name: 'prometheus-matcher',
    value: 'MATCHERS',
    text: 'label matcher of the series to use, for example namespace="orb-system"',
    otherwise: 'any',
    parse: parseLabelMatcher,
  },
  token: fileFlag('prometheus-bearer-token-file', 'bearer token, read again for each query'),
  username: {
    name: 'prometheus-username',
    value: 'NAME',
    text: 'user of --prometheus-password-file',
    parse: asText,
  },
  passwordFile: fileFlag('prometheus-password-file', 'password of --prometheus-username'),
  cert: fileFlag('prometheus-cert', 'client certificate chain (PEM), with --prometheus-key'),
  key: fileFlag('prometheus-key', 'private key of --prometheus-cert (PEM)'),
  ca: { ...fileFlag('prometheus-ca', 'authorities of its certificate (PEM)'), otherwise: "the system's" },
  header: {
    name: 'prometheus-header',
    value: 'NAME=VALUE',
    repeats: true,
    text: 'sent with each query, for example X-Scope-OrgID=orbs',
    parse: parseHeader,
  },
} as const satisfies Readonly<Record<string, ValueFlag<unknown>>>;

/** Flags of every program that reads metrics from a Prometheus. */
export const PROMETHEUS_FLAGS: readonly Flag[] = Object.values(FLAGS);

function connectionOf(url: string, args: Args): PrometheusConnection {
  const [token, ca] = [givenOf(args, FLAGS.token), givenOf(args, FLAGS.ca)];
  const basic = bothOf(args, FLAGS.username, FLAGS.passwordFile);
  const client = bothOf(args, FLAGS.cert, FLAGS.key);
  if (token !== undefined && basic !== undefined)
    throw new UsageError('--prometheus-bearer-token-file and --prometheus-username exclude each other');
  return {
    url,
    headers: Object.fromEntries(allOf(args, FLAGS.header)),
    ...(token === undefined ? {} : { bearerTokenFile: token }),
    ...(basic === undefined ? {} : { basic: { username: basic[0], passwordFile: basic[1] } }),
    ...(client === undefined ? {} : { client: { certFile: client[0], keyFile: client[1] } }),
    ...(ca === undefined ? {} : { caFile: ca }),
  };
}

/**
 * Resolves the flags of the operator and of the API. The files are not read yet.
 * @returns undefined: the flags name no Prometheus
 * @throws UsageError a value is wrong, or two flags don't go together
 */
export function parsePrometheus(args: Args): PrometheusSettings | undefined {
  const url = givenOf(args, FLAGS.url);
  if (url !== undefined)
    return {
      connection: connectionOf(url, args),
      mode: valueOf(args, FLAGS.mode),
      scrapeIntervalMs: valueOf(args, FLAGS.scrapeInterval),
      matcher: givenOf(args, FLAGS.matcher) ?? '',
    };
  const lost = PROMETHEUS_FLAGS.filter(({ name }) => args.has(name)).map(({ name }) => `--${name}`);
  if (lost.length > 0) throw new UsageError(`${lost.join(', ')} needs --prometheus-url URL beside it`);
  return undefined;
}
