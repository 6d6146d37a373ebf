import type { Credential } from '../certificate/credential.ts';
import { bitAt, bitsOf, isStatusList, type Gunzip, type StatusListCredential } from '../certificate/status-list.ts';
import { parseJws } from '../receipt/jws.ts';
import type { KeysDocument, PublishedKey } from '../receipt/keys-document.ts';
import { passIf, statusRow, windowRow } from './key-rows.ts';
import { openJws } from './open-jws.ts';
import type { CheckRow } from './rows.ts';
import { validityRow } from './validity-row.ts';
import type { VerifierPrimitives } from './verify.ts';

interface OpenedList {
  readonly list: StatusListCredential;
  readonly key: PublishedKey;
}

async function openList(
  jwt: string,
  { keys }: KeysDocument,
  primitives: VerifierPrimitives,
): Promise<OpenedList | CheckRow> {
  const opened = await openJws(parseJws(jwt), { type: 'vc+jwt', role: 'certificate' }, keys, primitives);
  if (!opened.ok) return opened.code;
  return isStatusList(opened.payload) ? { list: opened.payload, key: opened.key } : 'schema';
}

async function bitRow(list: StatusListCredential, place: number, gunzip: Gunzip): Promise<CheckRow> {
  const bits = await bitsOf(list, gunzip);
  if (bits === undefined || place >= bits.length * 8) return 'schema';
  return passIf(!bitAt(bits, place), 'revoked');
}

/**
 * Judges a certificate by its status list: the list is verified like a certificate, and must be in force. A fault of the
 * list has the code that it would have in a certificate; a list of other certificates is `wrong_type`.
 */
export async function checkStatusList(
  { jwt, gunzip }: { readonly jwt: string; readonly gunzip: Gunzip },
  { credentialStatus: status }: Credential,
  document: KeysDocument,
  primitives: VerifierPrimitives,
): Promise<CheckRow> {
  const opened = await openList(jwt, document, primitives);
  if (typeof opened === 'string') return opened;
  const { list, key } = opened;
  const rows = [
    passIf(list.issuer === document.issuer, 'issuer'),
    windowRow(list.validFrom, key),
    statusRow(key, 'none'),
    passIf(list.id === status.statusListCredential, 'wrong_type'),
    validityRow(list, primitives.now()),
  ];
  return rows.find((row) => row !== 'pass') ?? bitRow(list, Number(status.statusListIndex), gunzip);
}
