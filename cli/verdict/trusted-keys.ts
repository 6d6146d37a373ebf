import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { decodeUtf8 } from '../../core/json/bytes.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { checkHeader, parseJws } from '../../core/receipt/jws.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { openKeys, type Root } from '../../core/verify/keys.ts';
import { printable, textAt } from '../io/output.ts';
import type { Pin, Pins } from '../trust/trust-store.ts';

/** The keys document, if the pinned root signed it (row 2 of trust.md §3.2). */
export type TrustedKeys =
  | { readonly kind: 'trusted'; readonly document: KeysDocument; readonly root: Root }
  /** `next` says what the user can do about it. */
  | { readonly kind: 'refused'; readonly code: 'unknown_root' | 'keys_invalid'; readonly next: readonly string[] };

/** The roots to trust: one named root, or every pinned root. */
export type TrustAnchors =
  | { readonly kind: 'root'; readonly root: Root }
  | { readonly kind: 'pins'; readonly pins: Pins };

const primitives = { sha256, ed25519Verify };
const refused = (code: 'unknown_root' | 'keys_invalid', ...next: readonly string[]): TrustedKeys => ({
  kind: 'refused',
  code,
  next,
});

/** Issuer that an unverified document claims; only used for a hint. */
function claimedIssuer(payload: Uint8Array): string {
  try {
    const value: unknown = JSON.parse(decodeUtf8(payload) ?? '');
    return isJsonObject(value) ? textAt(value, 'issuer') : '';
  } catch {
    return '';
  }
}

function unknownRoot(kid: string, issuer: string, pins: Pins): TrustedKeys {
  const pinned = pins.get(issuer);
  const claim = `the keys document says its issuer is ${issuer === '' ? 'missing' : issuer}, and it is signed by the root ${printable(kid)}`;
  if (pinned !== undefined) return refused('unknown_root', claim, `but the root pinned for it is ${pinned.root.kid}`);
  return refused(
    'unknown_root',
    claim,
    'this root is not pinned: orb trust add ISSUER --root JWK, with the key that the issuer publishes',
  );
}

async function openPinned(
  jws: string,
  [issuers, pin]: readonly [readonly string[], Pin],
  pins: Pins,
): Promise<TrustedKeys> {
  const opened = await openKeys(jws, pin.root, primitives);
  if (!opened.ok) return refused(opened.code);
  const { document } = opened;
  // A root vouches only for the issuers that it is pinned for.
  if (!issuers.includes(document.issuer)) return unknownRoot(pin.root.kid, document.issuer, pins);
  const seen = pins.get(document.issuer)?.sequence ?? 0;
  if (document.sequence >= seen) return { kind: 'trusted', document, root: pin.root };
  return refused(
    'keys_invalid',
    `this is keys document ${document.sequence} of ${document.issuer}, but ${seen} was seen: keys revoked since then would pass`,
    '--keys FILE judges by the newest one, from /.well-known/orb-keys.json',
  );
}

/** Verifies a keys document with the root that it names, if that root is pinned, or with the given root. */
export async function trustKeys(jws: string, believed: TrustAnchors): Promise<TrustedKeys> {
  const parts = parseJws(jws);
  const header = parts === undefined ? undefined : checkHeader(parts.header, 'orb-keys+jws');
  if (parts === undefined || header === undefined || 'fault' in header) return refused('keys_invalid');
  if (believed.kind === 'root') {
    const opened = await openKeys(jws, believed.root, primitives);
    return opened.ok ? { kind: 'trusted', document: opened.document, root: believed.root } : refused(opened.code);
  }
  const matching = [...believed.pins].filter(([, { root }]) => root.kid === header.kid);
  const [first] = matching;
  if (first === undefined) return unknownRoot(header.kid, claimedIssuer(parts.payload), believed.pins);
  return openPinned(jws, [matching.map(([issuer]) => issuer), first[1]], believed.pins);
}
