/** Alerts of one message. */
const ALERTS = 12;
const SECOND_MS = 1000;

/** A message of Alertmanager, as it is sent and sent again. */
export interface Message {
  /** Tells it from all others. */
  readonly name: string;
  readonly block: number;
  readonly status: 'firing' | 'resolved';
  readonly body: string;
}

/** Problems of one Orb that are told together: each begins, begins again, ends and ends again. */
export interface Block {
  readonly number: number;
  readonly orb: string;
  /** In the undisturbed order. */
  readonly messages: readonly Message[];
}

export const fingerprintsOf = (block: number): readonly string[] =>
  Array.from({ length: ALERTS }, (_, index) => `b${block}-p${index}`);

interface Told {
  readonly status: Message['status'];
  readonly turn: 'first' | 'again';
  /** ms since epoch */
  readonly startedAt: number;
}

function message(block: number, orb: string, { status, turn, startedAt }: Told): Message {
  const alerts = fingerprintsOf(block).map((fingerprint, index) => ({
    status,
    labels: { alertname: 'Chaos', severity: index % 2 === 0 ? 'critical' : 'warning', orb_id: orb },
    // What differs between the two messages of a status is no part of a signal's key.
    annotations: { summary: `problem ${fingerprint}`, turn },
    startsAt: new Date(startedAt).toISOString(),
    endsAt: status === 'firing' ? '0001-01-01T00:00:00Z' : new Date(startedAt + 60 * SECOND_MS).toISOString(),
    fingerprint,
  }));
  const name = `${block} ${status} ${turn}`;
  return { name, block, status, body: JSON.stringify({ version: '4', groupKey: name, status, alerts }) };
}

/** @param base ms since epoch of the start of block 0; an hour and more before anything is sent */
export function blockOf(number: number, orb: string, base: number): Block {
  const startedAt = base + number * SECOND_MS;
  const told = (status: Told['status'], turn: Told['turn']): Message =>
    message(number, orb, { status, turn, startedAt });
  return {
    number,
    orb,
    messages: [told('firing', 'first'), told('firing', 'again'), told('resolved', 'first'), told('resolved', 'again')],
  };
}
