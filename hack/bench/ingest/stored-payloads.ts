import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { payloadAt, payloadsOf, signatureOf, type Events } from './payloads.ts';
import type { Delivery } from './sender.ts';

interface Place {
  readonly offset: number;
  readonly length: number;
  readonly signature: string;
}

/** Signed payloads in a file: making one takes longer than receiving it. */
export class StoredPayloads {
  readonly #file: number;
  readonly #places: Place[] = [];

  /** @param path of a file that this object alone uses; it has no name from now on */
  constructor(path: string, events: Events) {
    this.#file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    let offset = 0;
    for (let number = 0; number < payloadsOf(events); number += 1) {
      const body = payloadAt(number, events);
      writeSync(this.#file, body);
      this.#places.push({ offset, length: body.length, signature: signatureOf(body) });
      offset += body.length;
    }
  }

  get count(): number {
    return this.#places.length;
  }

  /** @throws RangeError there is no such payload */
  at(number: number): Pick<Delivery, 'body' | 'headers'> {
    const place = this.#places[number];
    if (place === undefined) throw new RangeError(`there is no payload ${number}`);
    const body = Buffer.allocUnsafe(place.length);
    readSync(this.#file, body, 0, place.length, place.offset);
    return { body, headers: { 'x-grafana-alerting-signature': place.signature } };
  }

  close(): void {
    closeSync(this.#file);
  }
}
