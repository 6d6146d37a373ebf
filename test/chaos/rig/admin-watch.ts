import { request } from 'node:https';
import { readJson } from './json.ts';
import { LineSplitter } from './watch-stream.ts';

/** A watch as the server sends it. */
export interface AdminWatch {
  readonly status: number;
  /** The next event; `end` when the server closed, `silence` when nothing came within `ms`. */
  readonly next: (ms: number) => Promise<unknown>;
  /** Events that arrived and were not returned by `next` yet. */
  readonly waiting: () => readonly unknown[];
  readonly close: () => void;
}

export interface WatchTarget {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Opens a watch and resolves when the server has answered. @param path with its query */
export function openAdminWatch({ url, ca, token }: WatchTarget, path: string): Promise<AdminWatch> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    const asked = request(new URL(path, url), { ca, headers, agent: false }, (answer) => {
      const events: unknown[] = [];
      let wake: (() => void) | undefined;
      let ended = false;
      const lines = new LineSplitter();
      answer.on('data', (chunk: Buffer) => {
        events.push(...lines.push(chunk).map((line) => readJson(line.toString('utf8'))));
        wake?.();
      });
      const end = (): void => {
        ended = true;
        wake?.();
      };
      answer.on('close', end);
      answer.on('error', end);
      const next = async (ms: number): Promise<unknown> => {
        if (events.length === 0 && !ended) {
          const { promise, resolve: arrived } = Promise.withResolvers<void>();
          const timer = setTimeout(arrived, ms);
          wake = arrived;
          await promise;
          clearTimeout(timer);
        }
        if (events.length > 0) return events.shift();
        return ended ? 'end' : 'silence';
      };
      resolve({ status: answer.statusCode ?? 0, next, waiting: () => [...events], close: () => asked.destroy() });
    });
    asked.on('error', reject);
    asked.end();
  });
}
