import { setTimeout as delay } from 'node:timers/promises';

/** The value of `Retry-After` in the refusal. */
const AGAIN_MS = 1000;
const TRIES = 30;

/**
 * Repeats a request while the platform sheds load, as clients should. The platform refuses such a request before
 * reading it, and does so for a second after its process or its disk was blocked.
 */
export async function unlessOverloaded(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await ask();
    if (response.status !== 503 || tries === TRIES) return response;
    const text = await response.clone().text();
    if (!text.includes('"code":"overloaded"')) return response;
    await response.body?.cancel();
    await delay(AGAIN_MS);
  }
}
