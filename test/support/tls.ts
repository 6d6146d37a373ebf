import { randomBytes } from 'node:crypto';
import {
  issueServerCertificate,
  makeLocalCa,
  type Credential,
  type ServerSubject,
} from '../../adapters/egress/local-ca.ts';
import { systemClock } from '../../adapters/time/clock.ts';

const tools = { clock: systemClock, random: randomBytes };

/** A certificate authority for one test file. */
export const makeCa = (): Credential => makeLocalCa(tools);

/** A server certificate of the authority, for names and addresses; dates can make it an expired certificate. */
export const issue = (ca: Credential, subject: ServerSubject): Credential => issueServerCertificate(ca, subject, tools);
