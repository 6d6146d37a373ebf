import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';
import type { Message } from './messages.ts';

export const TOKEN = 'am-token-of-the-chaos';
export const SOURCE = 'default/am';
const AGAIN_MS = 50;
const BUSY = [429, 503];

function textAt(body: unknown, name: string): string {
  const value = isJsonObject(body) ? body[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** What the vendor knows: its messages, and the answers to them. */
export class Sender {
  readonly messages = new Map<string, Message>();
  /** Name of a message → id of its delivery. */
  readonly answers = new Map<string, string>();
  readonly faults: string[] = [];
  #url = '';
  #client = 0;

  /** Sends to this platform from now on. */
  async to(platform: Standalone): Promise<void> {
    const path = await lastAnswer(
      async () => {
        const body: unknown = await (await platform.get(`/signal-sources/${SOURCE}`)).json();
        return textAt(body, 'url_path');
      },
      (found) => found !== '',
    );
    this.#url = `${platform.ready.url}${path}`;
  }

  get unanswered(): readonly Message[] {
    return [...this.messages.values()].filter(({ name }) => !this.answers.has(name));
  }

  /** Sends a message until it is answered. Rejects when the platform is killed. */
  async send(message: Message): Promise<void> {
    const { name, body } = message;
    this.messages.set(name, message);
    for (;;) {
      // Each from another address: a rate is kept for each.
      this.#client = (this.#client + 1) % 50_000;
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${TOKEN}`,
          'x-forwarded-for': `198.18.${this.#client >> 8}.${this.#client & 255}`,
        },
        body,
      });
      const text = await response.text();
      if (response.ok) return this.#note(name, text);
      if (!BUSY.includes(response.status)) {
        this.faults.push(`${name} was answered with ${response.status}: ${text.slice(0, 200)}`);
        return;
      }
      await delay(AGAIN_MS);
    }
  }

  #note(name: string, text: string): void {
    const id = textAt(JSON.parse(text), 'delivery_id');
    const before = this.answers.get(name);
    if (before !== undefined && before !== id) this.faults.push(`${name} was ${before} and is ${id}`);
    this.answers.set(name, id);
  }
}
