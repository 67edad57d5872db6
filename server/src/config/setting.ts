import { fail, ok, type Result } from '@quipu/core/values'
import type { ReachSettings } from './reach.ts'

/** Sections of settings in help and reference. */
export type SettingGroup = 'server' | 'world' | 'upstream' | 'chain' | 'credentials' | 'limits' | 'client'

/** Parses a value, or returns what was expected. */
export type Read<Value> = (text: string) => Result<Value, string>

/** Settings that a default may depend on. */
export type Earlier = ReachSettings

/** One row of the table. Its flag, its variable and its key in quipu.json derive from its name. */
export type Setting<Value> = {
  readonly group: SettingGroup
  readonly about: string
  /** Placeholder of the value in help: `--port N`. */
  readonly placeholder: string
  readonly read: Read<Value>
  /** Used if the setting is not set. Without a default, the value is then undefined. */
  readonly defaultValue?: string | { readonly text: string; readonly from: (earlier: Earlier) => string }
  /** Never printed, and may also be read from a file. */
  readonly secret?: true
  /** Other users of the machine can read flags, so this secret has none. */
  readonly hasNoFlag?: true
  /** The part of a secret that may be printed. Default: none. */
  readonly redact?: (text: string) => string
}

type Row<Value> = Omit<Setting<Value>, 'group' | 'defaultValue'>
type RowWithDefault<Value> = Row<Value> & Required<Pick<Setting<Value>, 'defaultValue'>>

/** The kinds of settings of a group. */
export const inGroup = (group: SettingGroup) => ({
  /** A setting that always has a value. */
  setting: <Value>(row: RowWithDefault<Value>): Setting<Value> => ({ group, ...row }),
  /** A setting that may be unset. */
  optional: <Value>(row: Row<Value>): Setting<Value | undefined> => ({ group, ...row }),
})

/** `rateLimit` → `--rate-limit` */
export const flagOf = (name: string): string => `--${kebab(name)}`
/** `rateLimit` → `QUIPU_RATE_LIMIT` */
export const variableOf = (name: string): string => `QUIPU_${kebab(name).replaceAll('-', '_').toUpperCase()}`

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A whole number in a range, both ends included. */
export const wholeNumber =
  (min: number, max: number): Read<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? ok(value) : fail(`a whole number from ${min} to ${max}`)
  }

export const oneOfSetting =
  <const Word extends string>(...words: readonly Word[]): Read<Word> =>
  (text) => {
    const found = words.find((one) => one === text)
    return found === undefined ? fail(words.join(' or ')) : ok(found)
  }

const switchWords: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  1: true,
  off: false,
  false: false,
  0: false,
}

export const onOff: Read<boolean> = (text) => {
  const value = Object.hasOwn(switchWords, text) ? switchWords[text] : undefined
  return value === undefined ? fail('on or off') : ok(value)
}

/** Text of printable characters without spaces. */
export const token =
  (min: number, max: number): Read<string> =>
  (text) =>
    new RegExp(`^[\\x21-\\x7e]{${min},${max}}$`).test(text)
      ? ok(text)
      : fail(`${min} to ${max} printable characters without spaces`)

export const httpUrl: Read<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && !url.username
  return isPlain ? ok(url.href.replace(/\/$/, '')) : fail('a URL such as http://127.0.0.1:7878')
}
