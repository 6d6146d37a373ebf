import type { JsonObject } from '../../../core/json/json-value.ts';
import { send, type Answer, type Caller, type Sending } from './request.ts';
import { reportDigestOf, type Status, type Track } from './track.ts';

/** A wish about one version. */
export type Act =
  /** A publication over HTTP: of a new version, the same again, or with another report. */
  | { readonly kind: 'submit'; readonly track: Track; readonly body: JsonObject }
  /** The same as an object of the cluster. */
  | { readonly kind: 'apply'; readonly track: Track; readonly body: JsonObject }
  | { readonly kind: 'status'; readonly track: Track; readonly to: Status };

/** An act whose platform was killed. */
export interface Asked {
  readonly act: Act;
  /** It was answered with 200 or 201: it may never be lost. */
  readonly isAcknowledged: boolean;
}

const PUBLISH = '/marketplace/orbs/publish';

export const isDone = (answer: Answer | undefined): boolean => answer?.status === 200 || answer?.status === 201;

/** Answers of acts that the platform has not begun: it sheds load, or its process ends. */
const NOT_BEGUN: ReadonlySet<string> = new Set(['overloaded', 'not-ready', 'shutting-down']);

/** What is wrong with an answer; the caller has none when its platform was killed. */
export function answerFaults(act: Act, answer: Answer | undefined): readonly string[] {
  if (answer === undefined || isDone(answer) || NOT_BEGUN.has(answer.code)) return [];
  return [`${act.track.version.orbId}: ${act.kind} was answered with ${answer.status} ${answer.code} ${answer.text}`];
}

/** Notes a report that is sent: from now on its entry may be in the log. */
export const noteReport = (track: Track, body: JsonObject): void => void track.reports.add(reportDigestOf(body));

/** Sends an act over HTTP. @param share of its body, 0 … 1 */
export function sendAct(caller: Caller, act: Exclude<Act, { kind: 'apply' }>, share = 1): Sending {
  if (act.kind === 'submit') return send(caller, PUBLISH, act.body, share);
  const path = `/marketplace/orbs/${act.track.version.orbId}/status`;
  return send(caller, path, { status: act.to, reason: 'by a test' }, share);
}
