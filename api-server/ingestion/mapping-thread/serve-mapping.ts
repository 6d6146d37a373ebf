import { randomSource } from '../../../adapters/keys/primitives.ts';
import { Pace } from '../../../adapters/threads/pace.ts';
import { SharedCount } from '../../../adapters/threads/shared-count.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { LedgerError } from '../../../adapters/ledger/port.ts';
import { openSqliteReader } from '../../../adapters/ledger/sqlite-reader.ts';
import { MapDesk, type MappedBatch, type MapWork } from '../worker/map-desk.ts';
import type { DeliveryHead } from '../worker/map-delivery.ts';
import type { MappingSource } from '../worker/mapping-source.ts';
import { AskedOrbs, type OrbAnswer, type OrbQuestion } from './asked-orbs.ts';
import { PacedSlices } from './paced-slices.ts';
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
  /** `runs`: memory of a `SharedCount`. */
  | readonly [kind: 'open', file: string, platformNamespace: string, runs: SharedArrayBuffer]
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

interface MappingDeskParts {
  readonly file: string;
  readonly platformNamespace: string;
  readonly runs: SharedCount;
  readonly ask: (question: OrbQuestion) => Promise<OrbAnswer>;
}

/** Maps with a read connection of its own. */
class MappingDesk {
  readonly #sources = new Map<string, MappingSource>();
  readonly #desk: MapDesk;
  readonly #slices: PacedSlices;

  constructor({ file, platformNamespace, runs, ask }: MappingDeskParts) {
    this.#slices = new PacedSlices(new Pace(() => runs.read(), systemClock), systemClock);
    this.#desk = new MapDesk({
      ledger: openSqliteReader(file),
      orbs: new AskedOrbs({ platformNamespace, ask }),
      random: randomSource(),
      pauses: this.#slices,
    });
  }

  map({ sources, deliveries, ...work }: SentWork): Promise<MappedBatch> {
    for (const form of sources) this.#sources.set(`${form.namespace}/${form.name}`, sourceOfForm(form));
    const opened = deliveries.map((one) => ({ ...one, source: this.#sourceOf(one.delivery.source) }));
    this.#slices.begin();
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

  function open(file: string, platformNamespace: string, runs: SharedCount): void {
    try {
      desk = new MappingDesk({ file, platformNamespace, runs, ask });
      port.postMessage(['ready']);
    } catch (error) {
      port.postMessage(failureOf(error));
    }
  }

  port.on('message', (message) => {
    switch (message[0]) {
      case 'open':
        return open(message[1], message[2], new SharedCount(message[3]));
      case 'map':
        return void map(message[1]);
      case 'orbs':
        return asked?.resolve(message[1]);
      default:
        return message satisfies never;
    }
  });
}
