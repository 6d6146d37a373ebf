import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, textAt, type Format } from '../io/output.ts';
import { KEY_VARIABLE } from './api-key.ts';
import type { Server } from './http.ts';

/** 1 for a failed run and a gate that is not met, 2 for a wrong request, 4 for a service that can't serve (packaging.md §6). */
function exitOf(status: number, problem: JsonObject): Exit {
  if (member(problem, 'run') !== undefined || member(problem, 'maybe_executed') === true) return EXIT.negative;
  if (member(problem, 'code') === 'replay-gate-not-met') return EXIT.negative;
  return status >= 500 || status === 429 ? EXIT.unreachable : EXIT.invalid;
}

const line = (label: string, text: string): string => (text === '' ? '' : `     ${label}${text}\n`);

function errorLine(error: JsonValue): string {
  const place = textAt(error, 'pointer') || textAt(error, 'parameter') || textAt(error, 'header') || '(the body)';
  const [detail, meant] = [textAt(error, 'detail'), textAt(error, 'suggestion')];
  const question = meant === '' || detail.includes(meant) ? '' : ` Did you mean ${meant}?`;
  return line('', `${place}  ${textAt(error, 'code')}: ${detail}${question}`);
}

const attemptLine = (attempt: JsonValue): string => {
  const status = textAt(attempt, 'http_status');
  const http = status === 'null' ? '' : `, HTTP ${status}`;
  const reason = textAt(attempt, 'reason');
  const why = reason === '' ? '' : `; ${reason}: ${textAt(attempt, 'detail')}`;
  return line(
    'attempt ',
    `${textAt(attempt, 'provider')}: ${textAt(attempt, 'outcome')}${http}, ${textAt(attempt, 'duration_ms')} ms${why}`,
  );
};

const waitLine = (problem: JsonObject): string => {
  const seconds = textAt(problem, 'retry_after_s');
  return seconds === '' ? '' : line('wait ', `${seconds} s`);
};

function runLines(problem: JsonObject): string {
  if (member(problem, 'run') === undefined) return '';
  const run = objectAt(problem, 'run');
  const receipt = objectAt(run, 'receipt');
  const attempts = listAt(run, 'attempts').map(attemptLine).join('');
  const summary = `${textAt(receipt, 'receipt_id')}, trust ${textAt(receipt, 'trust_score')}, risk ${textAt(receipt, 'risk_level')}`;
  return `${line('run ', `${textAt(run, 'run_id')} ${textAt(run, 'status')}`)}${attempts}${line('receipt ', summary)}`;
}

/** A limit of the replay gate that is not met (policy.md §5): `maxNewDenies: 17, and 0 is the limit`. */
export const faultText = (fault: JsonValue): string =>
  `${textAt(fault, 'limit')}: ${textAt(fault, 'actual')}, and ${textAt(fault, 'allowed')} is the limit`;

/** Whose key was refused, or where one can come from. */
function keyHint({ base, key, keySource }: Server): string {
  if (key === undefined)
    return 'no key was sent: set ORB_API_KEY or --key-file, orb login, or --data to the data folder of npm start';
  if (keySource === undefined) return '';
  const other = keySource === KEY_VARIABLE ? '; unset the variable to use that of orb login or npm start' : '';
  return `the key of ${keySource} was sent, and ${base.origin} does not know it${other}`;
}

/** Hints that only the command line can give: how it typed its arguments, and where it looked for a key. */
function hints(problem: JsonObject, server: Server): string {
  const code = textAt(problem, 'code');
  const wrongType = listAt(problem, 'errors').some((error) => textAt(error, 'code') === 'input-type');
  return [
    wrongType ? line('', 'name=value sends text; name:=5, name:=true, name:=[1] send JSON') : '',
    code === 'unauthenticated' ? line('', keyHint(server)) : '',
    member(problem, 'maybe_executed') === true
      ? line('', 'the provider may have executed it: look there before you try again')
      : '',
  ].join('');
}

/** A problem as text for people, with what to do next. */
function problemText(status: number, problem: JsonObject, server: Server): string {
  return [
    `orb: ${status} ${textAt(problem, 'code')}: ${textAt(problem, 'title')}\n`,
    line('', textAt(problem, 'detail')),
    ...listAt(problem, 'errors').map(errorLine),
    line('decision ', textAt(problem, 'decision_id')),
    runLines(problem),
    ...listAt(objectAt(problem, 'gate'), 'failing').map((fault) => line('limit ', faultText(fault))),
    member(problem, 'patch') === undefined ? '' : line('patch ', textAt(problem, 'patch')),
    line('provider answered ', textAt(problem, 'provider_status')),
    line('provider body ', textAt(problem, 'provider_body')),
    hints(problem, server),
    waitLine(problem),
    line('next: ', textAt(problem, 'next')),
    line('request ', textAt(problem, 'request_id')),
  ].join('');
}

/** Prints a problem: for people on stderr, for machines on stdout. @returns the exit code */
export async function printProblem(
  status: number,
  problem: JsonObject,
  server: Server,
  { format, io }: { readonly format: Format; readonly io: Io },
): Promise<Exit> {
  if (format === 'json' || format === 'yaml') io.out(await dataText(problem, format));
  else io.err(problemText(status, problem, server));
  return exitOf(status, problem);
}
