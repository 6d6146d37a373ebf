import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { invalid, usage } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable } from '../io/output.ts';
import { decode, readInput } from '../io/read-file.ts';

// The API's own limit is lower; this only keeps a wrong file from being read whole.
const MAX_BYTES = 16 * 1024 * 1024;
const ARGUMENT = /^([A-Za-z_][A-Za-z0-9_]{0,63})(:=|=)([^]*)$/;

/** JSON as the API reads it: no duplicate members, no integer that parsing would round. @throws Failure */
function parseJson(bytes: Uint8Array, what: string): JsonValue {
  const read = readJson(bytes);
  if (read.ok) return read.value;
  const [finding] = read.findings;
  throw invalid(
    `${what}: ${finding?.code ?? 'invalid-json'}${finding === undefined || finding.pointer === '' ? '' : ` at ${finding.pointer}`}: ${finding?.detail ?? ''}`,
  );
}

async function valueOf(kind: string, text: string, name: string, io: Io): Promise<JsonValue> {
  const file = text.startsWith('@') ? text.slice(1) : undefined;
  const bytes = file === undefined ? Buffer.from(text) : await readInput(file, MAX_BYTES, io);
  const what = file === undefined ? `${name}${kind}…` : `${name}${kind}@${printable(file)}`;
  return kind === ':=' ? parseJson(bytes, what) : decode(bytes, what);
}

async function wholeInputs(path: string | undefined, io: Io): Promise<JsonObject> {
  if (path === undefined) return {};
  const value = parseJson(await readInput(path, MAX_BYTES, io), `--input-json ${printable(path)}`);
  if (!isJsonObject(value)) throw invalid(`--input-json ${printable(path)}: inputs are a JSON object`);
  return value;
}

/**
 * Inputs of a run: `name=text`, `name=@file`, `name:=json`, `name:=@file`, and a whole object from `--input-json`.
 * Values are sent with the type in which they are written; the API checks them against the manifest.
 * @throws Failure an argument of another form, a name given twice, a file that can't be read
 */
export async function parseInputs(
  words: readonly string[],
  inputJson: string | undefined,
  io: Io,
): Promise<JsonObject> {
  const stdin = [...words.filter((word) => /^[^=]*=@-$/.test(word)), ...(inputJson === '-' ? ['-'] : [])];
  if (stdin.length > 1) throw usage('standard input can be read only once');
  const inputs = new Map<string, JsonValue>(Object.entries(await wholeInputs(inputJson, io)));
  for (const word of words) {
    const [, name, kind, text] = ARGUMENT.exec(word) ?? [];
    if (name === undefined || kind === undefined || text === undefined) {
      throw usage(`${printable(word)}: inputs are written name=text, name=@file or name:=json`);
    }
    if (inputs.has(name)) throw usage(`the input ${name} is given twice`);
    inputs.set(name, await valueOf(kind, text, name, io));
  }
  return Object.fromEntries(inputs);
}
