import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';

/**
 * Counts the messages that were posted to a thread, in memory that both sides share. A thread that only answers messages
 * sleeps on it in place of its event loop: a message and its answer take two thirds of the time (performance.md §3.5).
 */
export type MessageBell = Int32Array<SharedArrayBuffer>;

export const createBell = (): MessageBell => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** @param value of `workerData` */
export const isBell = (value: unknown): value is MessageBell =>
  value instanceof Int32Array && value.buffer instanceof SharedArrayBuffer;

/** To call after each message was posted. Wakes the thread up. */
export function ring(bell: MessageBell): void {
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
}

const receive: (port: MessagePort) => { readonly message: unknown } | undefined = receiveMessageOnPort;

/**
 * Hands every message of a port to `handle`, in order, and sleeps while there is none. Returns when `handle` says that it
 * was the last. Until then this thread runs no timer and no other event. `Worker.terminate` ends it in its sleep too.
 */
export function serveBell(port: MessagePort, bell: MessageBell, handle: (message: unknown) => 'more' | 'last'): void {
  for (;;) {
    // Read before the port: a message that comes up in between has changed it, and `wait` returns at once.
    const rung = Atomics.load(bell, 0);
    const received = receive(port);
    if (received === undefined) Atomics.wait(bell, 0, rung);
    else if (handle(received.message) === 'last') return;
  }
}
