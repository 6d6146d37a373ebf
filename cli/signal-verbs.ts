import type { VerbEntry } from './args/verb.ts';

/** Verbs of what vendors send and of what comes of it, in the order of the help. */
export const signalVerbs: readonly VerbEntry[] = [
  {
    name: 'signals list',
    summary: 'Lists what vendors told about your Orbs, newest first.',
    load: async () => (await import('./signals/signals-list.ts')).signalsListVerb,
  },
  {
    name: 'signals get',
    summary: 'Shows a signal.',
    load: async () => (await import('./signals/signals-get.ts')).signalsGetVerb,
  },
  {
    name: 'signals sources',
    summary: 'Lists signal sources: where their vendors send to, and what came.',
    load: async () => (await import('./signals/signals-sources.ts')).signalsSourcesVerb,
  },
  {
    name: 'signals templates',
    summary: 'Prints what to paste at a vendor, or into a source of type custom.',
    load: async () => (await import('./signals/signals-templates.ts')).signalsTemplatesVerb,
  },
  {
    name: 'signals dry-run',
    summary: 'Says what a source would make of a body; nothing is stored.',
    load: async () => (await import('./signals/signals-dry-run.ts')).signalsDryRunVerb,
  },
  {
    name: 'signals send',
    summary: 'Sends the sample of a vendor to a source, signed with its secret.',
    load: async () => (await import('./signals/signals-send.ts')).signalsSendVerb,
  },
  {
    name: 'incidents list',
    summary: 'Lists problems of your Orbs and of their providers.',
    load: async () => (await import('./incidents/incidents-list.ts')).incidentsListVerb,
  },
  {
    name: 'incidents get',
    summary: 'Shows an incident with its history.',
    load: async () => (await import('./incidents/incidents-get.ts')).incidentsGetVerb,
  },
  {
    name: 'incidents ack',
    summary: 'Says that somebody works on an incident.',
    load: async () => (await import('./incidents/incident-acts.ts')).incidentsAckVerb,
  },
  {
    name: 'incidents resolve',
    summary: 'Ends an incident by hand.',
    load: async () => (await import('./incidents/incident-acts.ts')).incidentsResolveVerb,
  },
  {
    name: 'incidents mute',
    summary: 'Keeps an incident out of the status of its Orb for a while.',
    load: async () => (await import('./incidents/incident-acts.ts')).incidentsMuteVerb,
  },
  {
    name: 'incidents withdraw',
    summary: 'Takes an incident back: it was none.',
    load: async () => (await import('./incidents/incident-acts.ts')).incidentsWithdrawVerb,
  },
  {
    name: 'incidents note',
    summary: 'Adds a line to the history of an incident.',
    load: async () => (await import('./incidents/incident-acts.ts')).incidentsNoteVerb,
  },
  {
    name: 'dead-letters list',
    summary: 'Lists deliveries that could not be used.',
    load: async () => (await import('./dead-letters/dead-letters-list.ts')).deadLettersListVerb,
  },
  {
    name: 'dead-letters get',
    summary: 'Shows a delivery that could not be used, with what came.',
    load: async () => (await import('./dead-letters/dead-letters-get.ts')).deadLettersGetVerb,
  },
  {
    name: 'dead-letters redrive',
    summary: 'Maps dead letters again.',
    load: async () => (await import('./dead-letters/dead-letters-redrive.ts')).deadLettersRedriveVerb,
  },
];
