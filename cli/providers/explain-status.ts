import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { table, textAt } from '../io/output.ts';
import { allFail, isThere, seenBy, shown, troubleText } from './failing-providers.ts';

const ALL_FAIL =
  'every provider fails: read why below, or in the lines `run` of the log; correct the manifest or ask the provider';

const percent = (value: JsonValue, name: string): string => {
  const ratio = member(value, name);
  return typeof ratio === 'number' ? `${Math.round(ratio * 1000) / 10}%` : '–';
};

/** The meaning of a state, and what the reader has to do. */
interface StateText {
  readonly says: string;
  readonly act: (status: JsonObject, program: string) => string;
}

const nothing = (): string => 'nothing';
const orbOf = (status: JsonObject): string => textAt(status, 'orb_id');
const blocks = (status: JsonObject): readonly JsonValue[] => listAt(objectAt(status, 'decision'), 'blocked_by');

function actFailedOver(status: JsonObject, program: string): string {
  const back = `${program} swap ${orbOf(status)} ${textAt(status, 'primary')}`;
  if (blocks(status).includes('manual_mode')) return `swap back when you want: ${back} --mode once`;
  return isThere(status, 'decision') ? nothing() : `swap back when you want: ${back}`;
}

const MEANINGS: Readonly<Record<string, StateText>> = {
  single: { says: 'the only provider that can be called', act: nothing },
  primary: { says: 'the preferred provider', act: nothing },
  failed_over: { says: 'used in place of the primary', act: actFailedOver },
  ramping: { says: 'a share of the traffic goes to another one', act: nothing },
  pinned: {
    says: 'somebody pinned it',
    act: (status, program) => `nothing; to end the pin now: ${program} pin remove ${orbOf(status)}`,
  },
  frozen: {
    says: 'kept after too many swaps',
    act: (status, program) =>
      `find out why the providers change so often; a manual swap ends the freeze: ${program} swap ${orbOf(status)} PROVIDER`,
  },
  all_down: {
    says: 'kept although it fails: no other provider works',
    act: () => 'look at the providers: none of them works, and calls fail',
  },
};

const UNKNOWN: StateText = { says: '', act: nothing };

function activeText(status: JsonObject, { says }: StateText): string {
  const { since, reason } = { since: shown(status, 'since'), reason: shown(status, 'reason') };
  const when = since === '–' ? '' : `, since ${since} (${reason})`;
  return `${textAt(status, 'active_provider')}: ${says}${when}`;
}

function verdictText(decision: JsonObject): string {
  const verdict = objectAt(decision, 'verdict');
  if (shown(verdict, 'value_ms') === '–') return '';
  const limit = shown(verdict, 'threshold_ms');
  return ` (${textAt(verdict, 'value_ms')} ms in ${shown(verdict, 'window')}, limit ${limit === '–' ? 'not known' : `${limit} ms`})`;
}

/** Whether the primary gets a share already; the line of the ramp reports it. */
const isReturning = (status: JsonObject): boolean => member(objectAt(status, 'ramp'), 'trial') === false;

const isOnPrimary = (status: JsonObject): boolean => textAt(status, 'active_provider') === textAt(status, 'primary');

/** Text of the rule that decided. Failback gives the reason for waiting until it has acted. */
function ruleText(status: JsonObject, decision: JsonObject): string {
  const acted = textAt(decision, 'rule') === 'failback' && (isReturning(status) || isOnPrimary(status));
  return acted ? 'primary is well, and has been for long enough' : shown(decision, 'why');
}

function whyText(status: JsonObject): string {
  if (!isThere(status, 'decision')) return 'nothing is decided for this Orb: it has no swap_config';
  const decision = objectAt(status, 'decision');
  const why = ruleText(status, decision);
  return why === '–' ? 'not known: there are no metrics of the last evaluation' : `${why}${verdictText(decision)}`;
}

const BLOCK_TEXTS: Readonly<Record<string, (decision: JsonObject) => string>> = {
  no_primary: () => 'the primary has no execution',
  manual_mode: () => 'failback.mode is manual',
  metrics: () => 'there are no metrics',
  pin: () => 'a pin holds',
  freeze: () => 'swaps are frozen',
  ramp: () => 'a trial is running',
  streak: (decision) => {
    const streaks = objectAt(decision, 'streaks');
    return `${shown(streaks, 'recovered')} of ${shown(streaks, 'needed')} good evaluations`;
  },
  hold_down: () => 'the primary is held',
};

/** When the primary may be used again; '' when it is in use. */
function backText(status: JsonObject): string {
  if (isReturning(status)) return '';
  if (!isThere(status, 'decision') || isOnPrimary(status)) return '';
  const decision = objectAt(status, 'decision');
  const next = shown(decision, 'next_possible_failback');
  const when = next === '–' ? 'not by itself' : `${next} at the earliest`;
  const why = blocks(status).flatMap(
    (block) => (typeof block === 'string' ? BLOCK_TEXTS[block]?.(decision) : undefined) ?? [],
  );
  return `${when}${why.length === 0 ? '' : `: ${why.join(', ')}`}`;
}

function pinText(status: JsonObject): string {
  if (!isThere(status, 'pin')) return '';
  const pin = objectAt(status, 'pin');
  const reason = shown(pin, 'reason');
  return `${textAt(pin, 'provider')} (${textAt(pin, 'mode')}) until ${textAt(pin, 'expires_at')}, by ${shown(pin, 'actor')}${reason === '–' ? '' : `: ${reason}`}`;
}

function rampText(status: JsonObject): string {
  if (!isThere(status, 'ramp')) return '';
  const ramp = objectAt(status, 'ramp');
  const what = member(ramp, 'trial') === true ? 'to find out how fast it is' : 'on the way back';
  return `${textAt(ramp, 'percent')}% to ${textAt(ramp, 'provider')}, ${what}`;
}

function frozenText(status: JsonObject): string {
  if (!isThere(status, 'frozen')) return '';
  const frozen = objectAt(status, 'frozen');
  return `until ${textAt(frozen, 'until')}: ${textAt(frozen, 'reason')}`;
}

function metricsText(status: JsonObject): string {
  const metrics = objectAt(status, 'metrics');
  return textAt(metrics, 'state') === 'fresh'
    ? `${shown(metrics, 'age_s')} s old at ${shown(metrics, 'evaluated_at')}`
    : 'not usable: no swap for latency; callers are protected in each process';
}

/** The time of day of the breaker's next attempt, when the answering replica knows it. */
function breakerText(provider: JsonValue, status: JsonObject): string {
  const state = shown(provider, 'breaker');
  if (state !== 'open') return state;
  const until = shown(seenBy(status, textAt(provider, 'name')) ?? {}, 'until');
  return until === '–' ? state : `open until ${until}`;
}

const mark = (provider: JsonValue): string =>
  member(provider, 'active') === true ? '*' : member(provider, 'resolved') === false ? '!' : '';

type Column = readonly [head: string, cell: (provider: JsonValue, status: JsonObject) => string, wide?: true];

const COLUMNS: readonly Column[] = [
  ['', mark],
  ['PROVIDER', (one) => textAt(one, 'name')],
  ['ROLE', (one) => textAt(one, 'role')],
  ['P50', (one) => shown(one, 'p50_ms', ' ms')],
  ['P95', (one) => shown(one, 'p95_ms', ' ms')],
  ['ERRORS', (one) => percent(one, 'error_ratio')],
  ['BREAKER', breakerText],
  ['HELD UNTIL', (one) => shown(one, 'hold_until')],
  ['EVIDENCE', (one) => shown(one, 'evidence'), true],
  ['WINDOW', (one) => shown(one, 'window'), true],
  ['N', (one) => shown(one, 'n'), true],
  ['PROBES OK', (one) => percent(one, 'probe_ok_ratio'), true],
  ['LAST PROBE', (one) => shown(objectAt(one, 'last_probe'), 'outcome'), true],
];

function providerRows(status: JsonObject, isWide: boolean): readonly (readonly string[])[] {
  const columns = COLUMNS.filter(([, , wide]) => isWide || wide !== true);
  const rows = listAt(status, 'providers').map((one) => columns.map(([, cell]) => cell(one, status)));
  return [columns.map(([head]) => head), ...rows];
}

const swapRow = (swap: JsonValue): readonly string[] => [
  textAt(swap, 'at'),
  `${textAt(swap, 'from')} → ${textAt(swap, 'to')}`,
  textAt(swap, 'reason'),
  shown(swap, 'actor'),
  textAt(swap, 'receipt_id'),
];

function swapsText(status: JsonObject): string {
  const swaps = listAt(status, 'swaps');
  if (swaps.length === 0) return '';
  return `\n${table([['AT', 'SWAP', 'REASON', 'BY', 'RECEIPT'], ...swaps.map(swapRow)])}`;
}

/** What to configure so that each named provider can be used. */
const unresolvedText = (status: JsonObject): string =>
  listAt(status, 'providers')
    .filter((one) => member(one, 'resolved') === false)
    .map((one) => `add /providers/${textAt(one, 'name')}/execution to the manifest`)
    .join('; ');

function actText(status: JsonObject, meaning: StateText, program: string): string {
  const usual = meaning.act(status, program);
  const act = allFail(status) ? usual.replace(/^nothing(?=;|$)/, ALL_FAIL) : usual;
  const missing = unresolvedText(status);
  if (missing === '') return act;
  return act === 'nothing' ? missing : `${act}; ${missing}`;
}

/**
 * The status of an Orb for people: which provider it uses and why, when it fails back, and what to do.
 * @param program how the command line is called here
 */
export function explainStatus(status: JsonObject, program: string, isWide: boolean): string {
  const meaning = MEANINGS[textAt(status, 'state')] ?? UNKNOWN;
  const rows: readonly (readonly [string, string])[] = [
    ['orb', textAt(status, 'orb_id')],
    ['state', textAt(status, 'state')],
    ['active', activeText(status, meaning)],
    ['why', whyText(status)],
    ['back', backText(status)],
    ['pin', pinText(status)],
    ['ramp', rampText(status)],
    ['frozen', frozenText(status)],
    ['metrics', isThere(status, 'decision') ? metricsText(status) : ''],
    ['to do', actText(status, meaning, program)],
  ];
  const head = table(rows.filter(([, text]) => text !== ''));
  return `${head}\n${table(providerRows(status, isWide))}${troubleText(status)}${swapsText(status)}`;
}
