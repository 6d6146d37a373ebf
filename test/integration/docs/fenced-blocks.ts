import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A fenced block of a page. */
export interface Block {
  /** `yaml`, `sh`, `console` … */
  readonly language: string;
  readonly text: string;
  /** Line of its first text, from 1. */
  readonly line: number;
}

const DOCS = resolve(import.meta.dirname, '../../../docs');

/** Text of a file of docs. */
export const page = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

/** The fenced blocks of a page, in their order. */
export function blocksOf(name: string): readonly Block[] {
  const text = page(name);
  return [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = ''], index, all) => ({
    language,
    text: body,
    line: text.slice(0, all[index]?.index ?? 0).split('\n').length + 1,
  }));
}

/** What a command block says that it prints: the lines `# → TEXT`. */
export const expectations = ({ text }: Block): readonly string[] =>
  [...text.matchAll(/^# → (.*)$/gm)].map(([, wanted = '']) => wanted);
