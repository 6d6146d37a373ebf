import { setTimeout as delay } from 'node:timers/promises';
import { lastAnswer } from '../../support/wait-for.ts';
import { isDone, noteReport, sendAct, type Act, type Asked } from './act.ts';
import { shownVersion, tracesOf } from './check-version.ts';
import type { PlacedEntry, WatchedLog } from './read-log.ts';
import type { Answer } from './request.ts';
import type { Running, Subject } from './subject.ts';
import { entriesOf, reportDigestOf, type Track } from './track.ts';

export interface Settling {
  readonly subject: Subject;
  readonly running: Running;
  readonly log: WatchedLog;
  readonly faults: string[];
  /** Longest time from the restart, or from a retry, until everything is there, ms. */
  readonly withinMs: number;
}

type AskedOf<Kind extends Act['kind']> = Asked & { readonly act: Extract<Act, { kind: Kind }> };
type SubmissionAsked = AskedOf<'submit'>;
type StatusAsked = AskedOf<'status'>;
type AppliedAsked = AskedOf<'apply'>;

const POLL_MS = 200;
const OVERLOADED_MS = 1000;
const TRIES = 30;

async function lacksOf({ subject, running, log }: Settling, track: Track): Promise<readonly string[]> {
  const entries = await log.read(running.url);
  const shown = await shownVersion(running, track, entries);
  if (shown.lacks.length > 0) return shown.lacks;
  const published = entriesOf(track, entries).find(({ entry }) => entry.kind === 'publish');
  return subject.objectLacks(track, shown, published?.index ?? -1);
}

/**
 * Waits until a version has everything. A version that lacks something at the end is looked at no more: it would hide
 * what later kills break.
 * @param from monotonic ms
 * @param when in words, for the faults
 */
export async function complete(settling: Settling, track: Track, from: number, when: string): Promise<void> {
  const { withinMs, faults } = settling;
  if (track.isBroken) return;
  const left = Math.max(POLL_MS, from + withinMs - performance.now());
  const lacks = await lastAnswer(
    () => lacksOf(settling, track),
    ({ length }) => length === 0,
    left,
    POLL_MS,
  );
  track.isBroken = lacks.length > 0;
  faults.push(
    ...lacks.map((lack) => `${track.version.orbId}, ${Math.round(withinMs / 1000)} s after ${when}: ${lack}`),
  );
}

/** Sends an act again, also when the platform sheds load. */
async function retry({ running }: Settling, act: Exclude<Act, { kind: 'apply' }>): Promise<Answer | undefined> {
  if (act.kind === 'submit') noteReport(act.track, act.body);
  for (let tries = 1; ; tries += 1) {
    const answer = await sendAct(running, act).answer;
    if (answer?.code !== 'overloaded' || tries === TRIES) return answer;
    await delay(OVERLOADED_MS);
  }
}

const said = (answer: Answer | undefined): string =>
  answer === undefined ? 'nothing' : `${answer.status} ${answer.code} ${answer.text.slice(0, 400)}`;

const hasReport = (own: readonly PlacedEntry[], digest: string): boolean =>
  own.some(({ entry }) => entry.kind === 'test_report' && entry.report_sha256 === digest);

/** What a kill left of a publication: all of it or nothing. @returns whether the version is listed */
async function checkLeft(settling: Settling, { act, isAcknowledged }: SubmissionAsked): Promise<boolean> {
  const { running, log, faults } = settling;
  const { track, body } = act;
  const { orbId } = track.version;
  const entries = await log.read(running.url);
  const own = entriesOf(track, entries);
  const isListed = own.some(({ entry }) => entry.kind === 'publish');
  if (!isListed && track.isListed) faults.push(`${orbId} was listed and is lost`);
  if (isAcknowledged && !hasReport(own, reportDigestOf(body))) faults.push(`${orbId}: an acknowledged act is lost`);
  track.isListed ||= isListed;
  if (isListed) await complete(settling, track, running.readyAt, 'the restart');
  else faults.push(...(await tracesOf(running, track, entries)));
  return isListed;
}

/** Publishes a version again, or for the first time. */
async function settleSubmission(settling: Settling, asked: SubmissionAsked): Promise<void> {
  const { act } = asked;
  const { track } = act;
  const isListed = await checkLeft(settling, asked);
  const answer = await retry(settling, act);
  if (answer?.status !== (isListed ? 200 : 201))
    settling.faults.push(`${track.version.orbId}: a retry was answered with ${said(answer)}`);
  track.isListed = true;
  await complete(settling, track, performance.now(), 'a retry');
}

async function settleStatus(settling: Settling, { act, isAcknowledged }: StatusAsked): Promise<void> {
  const { running, log, faults } = settling;
  const { track, to } = act;
  const { orbId } = track.version;
  const own = entriesOf(track, await log.read(running.url));
  const isWritten = own.some(({ entry }) => entry.kind === 'orb_status' && entry.status === to);
  if (isAcknowledged && !isWritten) faults.push(`${orbId}: an acknowledged change to ${to} is lost`);
  if (isWritten) track.status = to;
  await complete(settling, track, running.readyAt, 'the restart');
  const answer = await retry(settling, act);
  // A version that is yanked can't be yanked: the one answer that tells a caller that it was.
  const isGood = isWritten ? isDone(answer) || answer?.code === 'status-transition' : answer?.status === 200;
  if (!isGood) faults.push(`${orbId}: a retry to be ${to} was answered with ${said(answer)}`);
  track.status = to;
  await complete(settling, track, performance.now(), 'a retry');
}

/** An applied object stays: its publication goes on by itself, and applying it again changes nothing. */
async function settleApplied(settling: Settling, { act }: AppliedAsked): Promise<void> {
  const { subject, running } = settling;
  const { track, body } = act;
  track.isListed = true;
  await complete(settling, track, running.readyAt, 'the restart');
  await subject.apply(track.version, body);
  await complete(settling, track, performance.now(), 'it was applied again');
}

async function settleOne(settling: Settling, { act, isAcknowledged }: Asked): Promise<void> {
  switch (act.kind) {
    case 'submit':
      return settleSubmission(settling, { act, isAcknowledged });
    case 'apply':
      return settleApplied(settling, { act, isAcknowledged });
    case 'status':
      return settleStatus(settling, { act, isAcknowledged });
    default:
      return act satisfies never;
  }
}

/** After a restart: each act is done or has left nothing, a retry succeeds, and then everything is there. */
export async function settle(settling: Settling, asked: readonly Asked[]): Promise<void> {
  const byTrack = [...Map.groupBy(asked, ({ act }) => act.track).values()];
  await Promise.all(
    byTrack.map(async (acts) => {
      for (const one of acts) await settleOne(settling, one);
    }),
  );
}
