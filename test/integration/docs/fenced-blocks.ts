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

/** The fenced blocks of a text, in their order. */
export const blocksIn = (text: string): readonly Block[] =>
  [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)].map(({ 1: language = '', 2: body = '', index }) => ({
    language,
    text: body,
    line: text.slice(0, index).split('\n').length + 1,
  }));

/** The fenced blocks of a page of docs. */
export const blocksOf = (name: string): readonly Block[] => blocksIn(page(name));

/** What a command block says that it prints: the lines `# → TEXT`. */
export const expectations = ({ text }: Block): readonly string[] =>
  [...text.matchAll(/^# → (.*)$/gm)].map(([, wanted = '']) => wanted);
