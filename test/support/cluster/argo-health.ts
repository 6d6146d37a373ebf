import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { findTool } from '../../../hack/control-plane/tools.ts';

/** The health that Argo CD shows for an object. */
export interface ArgoHealth {
  readonly status: string;
  readonly message: string;
}

// Lua only reads decimal escapes.
const luaText = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;

/** A value in Lua's syntax; Argo CD turns an object into the same tables. */
function luaOf(value: JsonValue): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return luaText(value);
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `[${luaText(name)}] = ${luaOf(member)}`);
  return `{${members.join(', ')}}`;
}

const OWN_KEY = /^resource\.customizations\.health\.(.+)$/;

/** Checks in the key that holds several checks, by kind. */
function sharedChecks(text: string): readonly (readonly [string, string])[] {
  const kinds: unknown = parse(text);
  if (!isJsonObject(kinds)) throw new TypeError('resource.customizations is no map');
  return Object.entries(kinds).flatMap(([name, kind]) => {
    const check = isJsonObject(kind) ? kind['health.lua'] : undefined;
    return typeof check === 'string' ? [[name, check] as const] : [];
  });
}

/**
 * The health checks of an argocd-cm, by their names: those of `resource.customizations`, and those with a key of their
 * own.
 * @throws TypeError the text is not such a ConfigMap
 */
export function healthChecks(text: string): ReadonlyMap<string, string> {
  const configMap: unknown = parse(text);
  const data = isJsonObject(configMap) ? configMap['data'] : undefined;
  if (!isJsonObject(data)) throw new TypeError('no ConfigMap');
  const texts = Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return new Map(
    texts.flatMap(([key, value]) => {
      if (key === 'resource.customizations') return sharedChecks(value);
      const name = OWN_KEY.exec(key)?.[1];
      return name === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Health of an object by a check of argocd-cm, run by the interpreter that is built into Argo CD. */
export async function argoHealth(check: string, object: object): Promise<ArgoHealth> {
  const value: unknown = JSON.parse(JSON.stringify(object));
  if (!isJsonObject(value)) throw new TypeError('no object of the API');
  const folder = mkdtempSync(join(tmpdir(), 'orb-lua-'));
  try {
    const file = join(folder, 'health.lua');
    const judge = `local function judge(obj)\n${check}\nend\n`;
    const print = 'print(hs.status) print(hs.message)';
    writeFileSync(file, `${judge}local hs = judge(${luaOf(value)})\n${print}\n`);
    const { code, stdout, stderr } = await command(await findTool('glua'), [file]);
    if (code !== 0 || stderr !== '') throw new Error(stderr);
    const [status = '', ...message] = stdout.trimEnd().split('\n');
    return { status, message: message.join('\n') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
