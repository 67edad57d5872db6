import { errorMessage, keysOf } from '@quipu/core/values'
import { nearest } from './nearest.ts'
import { type Earlier, flagOf, type Setting, variableOf } from './setting.ts'
import { type SettingName, type Settings, settings } from './settings.table.ts'

/** All settings, read and checked. */
export type Config = {
  readonly [Name in SettingName]: Settings[Name] extends Setting<infer Value> ? Value : never
}

/** The settings that are whole numbers: limits and durations. */
export type Limits = {
  readonly [Name in SettingName as Settings[Name] extends Setting<number> ? Name : never]: number
}

/** Where a value came from: a flag, a variable, `quipu.json`, or `default`. */
export type SettingSource = string
export type Sources = {
  readonly [Name in SettingName]: { readonly text?: string; readonly source: SettingSource }
}

/** A setting is wrong. The message is the whole line to print. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The sources of settings. Files are read by `readText`, so that tests need no disk. */
export type ConfigInput = {
  /** From the command line, by setting name. */
  readonly flags: ReadonlyMap<string, string>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The text of quipu.json, if it exists. */
  readonly file?: string | undefined
  readonly readText: (path: string) => string
}

export const settingNames = keysOf(settings)
/** The settings that a command line may set. */
export const flagNames = settingNames.filter((name) => !settings[name].hasNoFlag)
const secretNames = settingNames.filter((name) => settings[name].secret)

/** Reads flags, then variables, then quipu.json, then defaults. Throws ConfigError. */
export function readConfig(input: ConfigInput): { readonly config: Config; readonly sources: Sources } {
  refuseUnknownVariables(input.env)
  const file = input.file === undefined ? {} : fileSettings(input.file)
  const config: Record<string, unknown> = {}
  const sources: Record<string, { text?: string; source: SettingSource }> = {}
  for (const name of settingNames) {
    const found = find(name, input, file) ?? fallback(name, config as Earlier)
    sources[name] = found
    config[name] = found.text === undefined ? undefined : read(name, found.text, found.source)
  }
  refuseIncompletePairs(sources as Sources)
  return { config: config as Config, sources: sources as Sources }
}

/** The same settings for a server that only this computer can reach, with the defaults of such a server. */
export function forThisComputer(config: Config, sources: Sources): Config {
  const local = { host: '127.0.0.1', publicUrl: undefined, trustProxy: false } as const
  const derived = settingNames
    .filter((name) => sources[name].source === 'default')
    .filter((name) => typeof settings[name].defaultValue === 'object')
    .map((name) => [name, read(name, fallback(name, local).text!, 'default')])
  return { ...config, ...Object.fromEntries(derived), ...local, tls: { kind: 'off' } }
}

type FoundSetting = { readonly text?: string; readonly source: SettingSource }
type FileSettings = { readonly [name: string]: string }

function find(
  name: SettingName,
  { flags, env, readText }: ConfigInput,
  file: FileSettings,
): FoundSetting | undefined {
  const candidates: readonly (readonly [SettingSource, string | undefined])[] = [
    [flagOf(name), flags.get(name)],
    [variableOf(name), env[variableOf(name)]],
    ['quipu.json', file[name]],
  ]
  for (const [source, text] of candidates) {
    if (text !== undefined && (text !== '' || source.startsWith('--'))) return { text, source }
    const fromFile = secretNames.includes(name) && source === variableOf(name) && env[`${source}_FILE`]
    if (fromFile) return { text: secretIn(fromFile, `${source}_FILE`, readText), source: `${source}_FILE` }
  }
  return undefined
}

function fallback(name: SettingName, earlier: Earlier): FoundSetting {
  const { defaultValue } = settings[name]
  if (defaultValue === undefined) return { source: 'default' }
  return {
    text: typeof defaultValue === 'string' ? defaultValue : defaultValue.from(earlier),
    source: 'default',
  }
}

function read(name: SettingName, text: string, source: SettingSource): unknown {
  const { read, secret } = settings[name]
  const result = read(text)
  if (result.ok) return result.value
  const received = secret ? 'another value (not shown: secret)' : JSON.stringify(text)
  throw new ConfigError(`${locationOf(name, source)}: expected ${result.reason}, received ${received}`)
}

const locationOf = (name: string, source: SettingSource): string =>
  source === 'quipu.json' ? `quipu.json: ${name}` : source

/** Settings that are only valid together. */
const pairs: readonly (readonly [SettingName, SettingName])[] = [
  ['keyId', 'secretKey'],
  ['brokerKey', 'brokerSecret'],
  ['chainUrl', 'chainKey'],
  ['upstreamUrl', 'upstreamKeyId'],
  ['upstreamKeyId', 'upstreamSecretKey'],
]

function refuseIncompletePairs(sources: Sources): void {
  for (const pair of pairs) {
    const [one, other] = sources[pair[0]].text === undefined ? [pair[1], pair[0]] : pair
    if (sources[one].text === undefined || sources[other].text !== undefined) continue
    const source = locationOf(one, sources[one].source)
    throw new ConfigError(`${source} is set without ${variableOf(other)}; set both or neither`)
  }
}

/** All known variables; secrets also with `_FILE`. */
const variableNames: readonly string[] = [
  ...settingNames.map(variableOf),
  ...secretNames.map((name) => `${variableOf(name)}_FILE`),
]

/** The Python package reads it: the path of Node. */
const NODE_VARIABLE = 'QUIPU_NODE'

function refuseUnknownVariables(env: ConfigInput['env']): void {
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith('QUIPU_') || name === NODE_VARIABLE || variableNames.includes(name)) continue
    const suggestion = nearest(name, variableNames)
    throw new ConfigError(
      `unknown variable ${name}${suggestion ? `: did you mean ${suggestion}?` : '; `quipu config show` lists them all'}`,
    )
  }
}

function fileSettings(text: string): FileSettings {
  const parsed = parseFile(text)
  const entries = Object.entries(parsed).map(([name, value]) => {
    if (!settingNames.includes(name as SettingName)) {
      const suggestion = nearest(name, settingNames)
      throw new ConfigError(
        `quipu.json: unknown setting ${name}${suggestion ? `: did you mean ${suggestion}?` : ''}`,
      )
    }
    return [name, textOf(name, value)]
  })
  return Object.fromEntries(entries)
}

function parseFile(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new ConfigError(`quipu.json: expected JSON: ${errorMessage(error)}`)
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
  throw new ConfigError('quipu.json: expected one object, such as {"port": 7878}')
}

function textOf(name: string, value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new ConfigError(`quipu.json: ${name}: expected a string, a number or a list of strings`)
}

function secretIn(path: string, source: SettingSource, readText: ConfigInput['readText']): string {
  try {
    // Secret files usually end with a line break that is not part of the secret.
    return readText(path).replace(/\r?\n$/, '')
  } catch (error) {
    throw new ConfigError(`${source}: cannot read ${JSON.stringify(path)}: ${errorMessage(error)}`)
  }
}
