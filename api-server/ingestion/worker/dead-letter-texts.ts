import type { DeadLetter } from '../../../core/ingestion/mapping/signal.ts';

/** What a dead letter says to people about its reason. */
export const DEAD_LETTER_TEXTS: Readonly<Record<DeadLetter['reason'], string>> = {
  bad_json: 'The body is no JSON.',
  schema: 'The body has not the form that this type of source reads.',
  mapping_error: 'An expression of the mapping gives no value that can be used.',
  no_entity: 'No rule of match and no name in the event gives an Orb that this namespace can run.',
  ambiguous_entity: 'The event fits more than one Orb or version.',
  limits: 'The payload is too deep or too large, or its fingerprint is about too many things.',
};
