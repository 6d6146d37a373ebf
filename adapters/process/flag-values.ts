import { resolve } from 'node:path';
import { parseCidr, type Cidr } from '../../core/network/cidr.ts';
import { isHttpsOrigin } from '../../core/network/https-origin.ts';
import { parseListenAddress, type ListenAddress } from '../../core/network/listen-address.ts';
import { isLoopback } from '../../core/network/loopback.ts';
import { parseRateLimit, type RateLimit } from '../../core/rate-limit/rate.ts';
import { isLabelName } from '../../core/reconcile/kube-name.ts';
import { parseDuration, type DurationUnit } from '../../core/time/duration.ts';
import { UsageError } from './start-error.ts';

type Parse<T> = (text: string, flag: string) => T;

/** Host of an address that is only a port, for every flag of every program. */
export const DEFAULT_HOST = '127.0.0.1';

const FLAG_UNITS: readonly DurationUnit[] = ['ms', 's', 'm', 'h'];
const LONG_UNITS: readonly DurationUnit[] = ['h', 'd'];

export const asText: Parse<string> = (text) => text;

/** An absolute path of a file or folder. */
export const asPath: Parse<string> = (text) => resolve(text);

export const asAddress: Parse<ListenAddress> = (text, flag) => {
  const address = parseListenAddress(text, DEFAULT_HOST);
  if (address !== undefined) return address;
  throw new UsageError(`${flag} takes HOST:PORT, [IPV6]:PORT or PORT (on ${DEFAULT_HOST}), for example 127.0.0.1:8080`);
};

/** An address that only this machine reaches, for plain HTTP. */
export const asLoopback: Parse<ListenAddress> = (text, flag) => {
  const address = asAddress(text, flag);
  if (isLoopback(address.host)) return address;
  throw new UsageError(
    `${flag} ${address.host}: this is plain HTTP, so it listens on loopback only (127.0.0.1, ::1, localhost)`,
  );
};

/** One word of a list. */
export const asOneOf =
  <Value extends string>(values: readonly Value[]): Parse<Value> =>
  (text, flag) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new UsageError(`${flag} is one of ${values.join(', ')}`);
    return found;
  };

/** Some words of a list, each once, with commas between them; in the order of the list. */
export const asSomeOf =
  <Value extends string>(values: readonly Value[]): Parse<readonly Value[]> =>
  (text, flag) => {
    const given = text.split(',');
    const found = values.filter((value) => given.includes(value));
    if (found.length === given.length) return found;
    throw new UsageError(`${flag} takes some of ${values.join(',')}, each once, with commas between them`);
  };

export const asCidr: Parse<Cidr> = (text, flag) => {
  const cidr = parseCidr(text);
  if (cidr !== undefined) return cidr;
  throw new UsageError(`${flag} takes ADDRESS/PREFIX without host bits, for example 10.0.0.0/8 or fd00::/8`);
};

/** A whole number in digits. */
export const asNumber =
  (min: number, max: number): Parse<number> =>
  (text, flag) => {
    const number = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && number >= min && number <= max) return number;
    throw new UsageError(`${flag} is a whole number from ${min} to ${max}`);
  };

/** @returns a parser of durations in ms, from `min` to `max`, which are written as durations too */
const durationIn =
  (units: readonly DurationUnit[], example: string) =>
  (min: string, max: string): Parse<number> =>
  (text, flag) => {
    const [ms, least = 0, most = 0] = [text, min, max].map((each) => parseDuration(each, units));
    if (ms !== undefined && ms >= least && ms <= most) return ms;
    throw new UsageError(`${flag} takes a duration from ${min} to ${max}, for example ${example}`);
  };

export const asRateLimit: Parse<RateLimit> = (text, flag) => {
  const limit = parseRateLimit(text);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `${flag} takes a number a second, and after a colon a number at once, for example 100:200; 0 for no limit`,
  );
};

/** In ms, s, m or h. */
export const asDuration = durationIn(FLAG_UNITS, '15s');

/** In ms, s, m or h; `0` stands for none. */
export const asDurationOrNone = (min: string, max: string): Parse<number> => {
  const parse = asDuration(min, max);
  return (text, flag) => (text === '0' ? 0 : parse(text, flag));
};

/** In h or d. */
export const asLongDuration = durationIn(LONG_UNITS, '90d');

export const asNamespace: Parse<string> = (text, flag) => {
  if (isLabelName(text)) return text;
  throw new UsageError(`${flag} takes the name of a namespace, for example orb-system`);
};

export const asServiceAccount: Parse<string> = (text, flag) => {
  if (isLabelName(text)) return text;
  throw new UsageError(`${flag} takes the name of a ServiceAccount, for example orb-api`);
};

/** An organisation and the namespace that owns it: `acme=team-a`. */
export const asOwner: Parse<readonly [org: string, namespace: string]> = (text, flag) => {
  const [org = '', namespace = '', ...rest] = text.split('=');
  if (rest.length === 0 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(org) && isLabelName(namespace))
    return [org, namespace];
  throw new UsageError(`${flag} takes ORG=NAMESPACE, for example acme=team-a`);
};

/** An https origin: scheme, host and port without a path. */
export const asOrigin: Parse<string> = (text, flag) => {
  if (isHttpsOrigin(text)) return text;
  throw new UsageError(`${flag} takes an https origin without path and without :443, for example https://orbs.example`);
};
