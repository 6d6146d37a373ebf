import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WatchOut } from './watch-stream.ts';

/** The caller's end of a watch that `answer` feeds. */
export function openWatchOut(outgoing: ServerResponse, answer: IncomingMessage): WatchOut {
  let closed = false;
  let isFull = false;
  const once = (step: () => void): void => {
    if (closed) return;
    closed = true;
    step();
  };
  const leave = (step: () => void): void =>
    once(() => {
      answer.destroy();
      step();
    });
  outgoing.on('close', () => leave(() => undefined));
  return {
    send: (bytes) => {
      if (closed || outgoing.write(bytes) || isFull) return;
      isFull = true;
      answer.pause();
      outgoing.once('drain', () => {
        isFull = false;
        answer.resume();
      });
    },
    end: () => leave(() => outgoing.end()),
    reset: () => leave(() => outgoing.socket?.resetAndDestroy()),
    hold: () =>
      once(() => {
        answer.pause();
        outgoing.socket?.pause();
      }),
    closed: () => closed,
  };
}
