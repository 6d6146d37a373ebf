import { isCelError, isCelList, isCelMap, parse, type CelResult, type CelValue } from '@bufbuild/cel';
import { evaluationOf, type Activation } from './environment.ts';
import type { Trace } from './port.ts';
import { textOf } from './text-of.ts';
import { childrenOf, type Node } from './tree.ts';

const MAX_TEXT = 200;
/** Items of a list or a map that are shown. */
const MAX_ITEMS = 10;

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
const textOfScalar = evaluationOf(parse('string(value)').expr);

function scalarText(value: CelValue): string {
  const text = textOfScalar({ value });
  return typeof text === 'string' ? text : '';
}

function itemsText(value: CelValue): string | undefined {
  if (isCelList(value)) return `[${[...value].slice(0, MAX_ITEMS).map(scalarText).join(', ')}]`;
  if (!isCelMap(value)) return undefined;
  const entries = [...value].slice(0, MAX_ITEMS).map((entry) => entry.map(scalarText).join(': '));
  return `{${entries.join(', ')}}`;
}

function shown(value: CelResult): boolean | string {
  if (isCelError(value)) return shortened(`error: ${value.message}`);
  return typeof value === 'boolean' ? value : shortened(itemsText(value) ?? scalarText(value));
}

function evaluated(node: Node, activation: Activation): boolean | string {
  try {
    return shown(evaluationOf(node.expr)(activation));
  } catch {
    return 'error: this part could not be evaluated';
  }
}

/**
 * Values of a condition and of its parts. Parts are opened down to facts and constants; a loop is shown as a whole,
 * since its body has a value for each item.
 */
export const traceOf = (node: Node, activation: Activation): Trace => ({
  expr: shortened(textOf(node)),
  value: evaluated(node, activation),
  args: node.kind === 'call' ? childrenOf(node).map((part) => traceOf(part, activation)) : [],
});
