import { randomSource } from '../../../adapters/keys/primitives.ts';
import { LedgerError } from '../../../adapters/ledger/port.ts';
import { openSqliteReader } from '../../../adapters/ledger/sqlite-reader.ts';
import { MapDesk, type MappedBatch, type MapWork } from '../worker/map-desk.ts';
import type { DeliveryHead } from '../worker/map-delivery.ts';
import type { MappingSource } from '../worker/mapping-source.ts';
import { NO_PAUSES } from '../worker/pauses.ts';
import { AskedOrbs, type OrbAnswer, type OrbQuestion } from './asked-orbs.ts';
import { sourceOfForm, type SourceForm } from './source-forms.ts';

/** A delivery as it crosses to the thread. */
export interface SentDelivery {
  readonly delivery: DeliveryHead;
  readonly raw: Uint8Array;
}

/** Work with the sources that the thread does not have, or has in an earlier form. */
interface SentWork extends MapWork<SentDelivery> {
  readonly sources: readonly SourceForm[];
}

/** What the thread is sent: the ledger's file with the platform's namespace first, then work, and answers to questions. */
export type ToMappingThread =
  | readonly [kind: 'open', file: string, platformNamespace: string]
  | readonly [kind: 'map', work: SentWork]
  | readonly [kind: 'orbs', answer: OrbAnswer];

/** `ready` first; for each work an answer, and before it any number of questions. */
export type FromMappingThread =
  | readonly [kind: 'ready']
  | readonly [kind: 'ask', question: OrbQuestion]
  | readonly [kind: 'mapped', batch: MappedBatch]
  /** The ledger could not be read. */
  | readonly [kind: 'failed', code: LedgerError['code'], message: string]
  /** Any other error outside of a delivery: a bug. */
  | readonly [kind: 'broken', message: string, stack: string];

/** The thread's end of its channel. */
export interface MappingPort {
  readonly on: (event: 'message', listener: (message: ToMappingThread) => void) => unknown;
  readonly postMessage: (message: FromMappingThread, transfer?: readonly ArrayBuffer[]) => void;
}

function failureOf(error: unknown): FromMappingThread {
  if (error instanceof LedgerError) return ['failed', error.code, error.message];
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  return ['broken', message, stack];
}

/** Maps with a read connection of its own. */
class MappingDesk {
  readonly #sources = new Map<string, MappingSource>();
  readonly #desk: MapDesk;

  constructor(file: string, platformNamespace: string, ask: (question: OrbQuestion) => Promise<OrbAnswer>) {
    this.#desk = new MapDesk({
      ledger: openSqliteReader(file),
      orbs: new AskedOrbs({ platformNamespace, ask }),
      random: randomSource(),
      pauses: NO_PAUSES,
    });
  }

  map({ sources, deliveries, ...work }: SentWork): Promise<MappedBatch> {
    for (const form of sources) this.#sources.set(`${form.namespace}/${form.name}`, sourceOfForm(form));
    const opened = deliveries.map((one) => ({ ...one, source: this.#sourceOf(one.delivery.source) }));
    return this.#desk.map({ ...work, deliveries: opened });
  }

  #sourceOf(key: string): MappingSource {
    const source = this.#sources.get(key);
    if (source === undefined) throw new TypeError(`the source ${key} was not sent`);
    return source;
  }
}

/** Handles work in its order; answers to questions come while one is under way. */
export function serveMapping(port: MappingPort): void {
  let desk: MappingDesk | undefined;
  let asked: PromiseWithResolvers<OrbAnswer> | undefined;

  const ask = (question: OrbQuestion): Promise<OrbAnswer> => {
    asked = Promise.withResolvers();
    port.postMessage(['ask', question]);
    return asked.promise;
  };

  async function map(work: SentWork): Promise<void> {
    try {
      if (desk === undefined) throw new TypeError('no ledger was opened');
      const batch = await desk.map(work);
      port.postMessage(
        ['mapped', batch],
        batch.effects.map(({ bytes }) => bytes.buffer),
      );
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  }

  function open(file: string, platformNamespace: string): void {
    try {
      desk = new MappingDesk(file, platformNamespace, ask);
      port.postMessage(['ready']);
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  }

  port.on('message', (message) => {
    switch (message[0]) {
      case 'open':
        return open(message[1], message[2]);
      case 'map':
        return void map(message[1]);
      case 'orbs':
        return asked?.resolve(message[1]);
      default:
        return message satisfies never;
    }
  });
}
