import { setTimeout as delay } from 'node:timers/promises';

/** What `Retry-After` of the refusal says. */
const AGAIN_MS = 1000;
const TRIES = 30;

/**
 * Asks again while the platform sheds load, as its clients should: it has refused the request before it read it, and it does
 * so for a second after its process or its disk stood still.
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
