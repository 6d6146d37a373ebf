import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { jsonText, printable, table, textAt, textsAt } from '../io/output.ts';

const rowsOf = (values: JsonObject): readonly (readonly string[])[] =>
  Object.entries(values).map(([name, value]) => [`  ${printable(name)}`, jsonText(value, 0)]);

/** Salts of the commitments: shown once, needed to disclose input or output later (trust.md §1.4). */
function openingRows(result: JsonObject): readonly (readonly string[])[] {
  const openings = objectAt(result, 'openings');
  return Object.keys(openings).map((field) => [
    `salt of ${printable(field)}`,
    textAt(objectAt(openings, field), 'salt'),
  ]);
}

/** The result of a run (spec §2.3) for people. */
export function runText(result: JsonObject): string {
  const receipt = objectAt(result, 'receipt');
  const signature = member(receipt, 'signature_valid') === true ? 'signature valid' : 'SIGNATURE NOT VALID';
  const body = textAt(result, 'provider_body');
  return [
    `${textAt(result, 'status')} in ${textAt(result, 'execution_ms')} ms\n`,
    table(rowsOf(objectAt(result, 'outputs'))),
    table([
      [
        'receipt',
        `${textAt(receipt, 'receipt_id')}  trust ${textAt(receipt, 'trust_score')}, risk ${textAt(receipt, 'risk_level')}, ${signature}`,
      ],
      ...openingRows(result),
      ...(body === '' ? [] : [['provider body', body]]),
    ]),
  ].join('');
}

/** A warning about outputs that are null because the provider's answer lacks them; '' when none is missing. */
export function missingOutputsText(result: JsonObject): string {
  const missing = textsAt(result, 'missing_outputs');
  if (missing === '') return '';
  return [
    `warning: the provider's answer lacks ${missing}: null above\n`,
    '     without `from`, an output is read from the member or header of its name; `from` in the manifest names another place\n',
  ].join('');
}

const headerLine = (header: JsonValue): string => `    ${textAt(header, 'name')}: ${textAt(header, 'value')}\n`;

function secretLine(secret: JsonValue): string {
  const entry = textAt(secret, 'entry');
  if (member(secret, 'present') !== true) return `    vault entry ${entry}: missing\n`;
  const allowed = member(secret, 'host_allowed') === true ? 'may be sent' : 'may NOT be sent';
  return `    vault entry ${entry}: there, ${allowed} to ${textAt(secret, 'host')}\n`;
}

/** What keeps a run from a provider now, and why its last attempt failed. */
function breakerLines(provider: JsonValue): readonly string[] {
  const breaker = textAt(provider, 'breaker');
  const paused = textAt(provider, 'paused_until');
  const failure = objectAt(provider, 'last_failure');
  const times = `since ${textAt(provider, 'breaker_since')}, next attempt ${textAt(provider, 'breaker_until')}`;
  return [
    breaker === '' || breaker === 'closed' ? '' : `    breaker ${breaker} ${times}\n`,
    paused === '' ? '' : `    the provider asked for a pause until ${paused}\n`,
    textAt(failure, 'reason') === ''
      ? ''
      : `    last failure ${textAt(failure, 'at')}: ${textAt(failure, 'reason')}: ${textAt(failure, 'detail')}\n`,
  ];
}

function providerText(provider: JsonValue): string {
  const request = objectAt(provider, 'request');
  const body = textAt(request, 'body');
  const reason = textAt(provider, 'reason');
  return [
    `${textAt(provider, 'provider')}: ${member(provider, 'eligible') === true ? 'eligible' : `not eligible (${reason})`}\n`,
    `    ${textAt(request, 'method')} ${textAt(request, 'url')}\n`,
    ...listAt(request, 'headers').map(headerLine),
    body === '' || body === 'null' ? '' : `    ${body}\n`,
    ...listAt(provider, 'secrets').map(secretLine),
    ...breakerLines(provider),
  ].join('');
}

/** The answer to `?dry_run=true`, for people. */
export const dryRunText = (result: JsonObject): string =>
  [
    `${textAt(result, 'orb_id')} in ${textAt(result, 'orbiset')}: nothing was sent\n`,
    `provider now: ${textAt(result, 'effective_provider')}\n`,
    textAt(result, 'replica') === '' ? '' : `breakers are those of replica ${textAt(result, 'replica')}\n`,
    ...listAt(result, 'providers').map(providerText),
  ].join('');

/** Whether a run could go to any provider. */
export const isRunnable = (result: JsonObject): boolean =>
  listAt(result, 'providers').some((provider) => member(provider, 'eligible') === true);
