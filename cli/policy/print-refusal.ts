import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, member } from '../../core/json/members.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import type { Reply } from '../api/answer.ts';
import type { Server } from '../api/http.ts';
import { printProblem } from '../api/problem.ts';
import type { Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { textAt, type Format } from '../io/output.ts';
import { findingText } from '../validate/finding-text.ts';
import type { SentPolicy } from './policy-files.ts';

/** The policy that was sent, and where it stands in the body of the request. */
export interface Sent {
  readonly policy: SentPolicy | undefined;
  /** JSON Pointer; '' when it is the body. */
  readonly pointer: string;
}

/** What the API says of a policy, with pointers relative to it; undefined: something lies outside of it. */
function findingsOf(problem: JsonObject, pointer: string): readonly Finding[] | undefined {
  const errors = listAt(problem, 'errors');
  const isInside = (place: string): boolean => place === pointer || place.startsWith(`${pointer}/`);
  if (!errors.every((error) => isInside(textAt(error, 'pointer')))) return undefined;
  return errors.map((error) => ({
    severity: 'error',
    pointer: textAt(error, 'pointer').slice(pointer.length),
    code: textAt(error, 'code'),
    detail: textAt(error, 'detail'),
    ...(member(error, 'suggestion') === undefined ? {} : { suggestion: textAt(error, 'suggestion') }),
  }));
}

/** Prints why a request with a policy was refused; for people with file, line and column. @returns the exit code */
export async function printRefusal(
  { status, value }: Extract<Reply, { kind: 'problem' }>,
  sent: Sent | undefined,
  server: Server,
  { format, io }: { readonly format: Format; readonly io: Io },
): Promise<Exit> {
  const isForPeople = format === 'text' || format === 'name';
  const findings =
    isForPeople && member(value, 'code') === 'policy-invalid' ? findingsOf(value, sent?.pointer ?? '') : undefined;
  if (findings === undefined || sent?.policy === undefined) return printProblem(status, value, server, { format, io });
  const { errors: _errors, ...problem } = value;
  io.err(sent.policy.placesOf(findings).map(findingText).join(''));
  return printProblem(status, problem, server, { format, io });
}
