import { inCidrs, parseCidr, type Cidr } from '../../core/network/cidr.ts';
import type { SignalSource } from './source.ts';

// A source is immutable: another generation is another object.
const parsed = new WeakMap<SignalSource, readonly Cidr[]>();

function blocksOf(source: SignalSource): readonly Cidr[] {
  const known = parsed.get(source);
  if (known !== undefined) return known;
  const blocks = source.allowCidrs.flatMap((text) => parseCidr(text) ?? []);
  parsed.set(source, blocks);
  return blocks;
}

/** Whether a client may send to a source by its address: an additional condition, never the only one. */
export const mayCallFrom = (source: SignalSource, address: string): boolean =>
  source.allowCidrs.length === 0 || inCidrs(address, blocksOf(source));
