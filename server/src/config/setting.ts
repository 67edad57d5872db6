import { fail, ok, type Result } from '@quipu/core/values'

/** Settings stand together in help and reference by these. */
export type Group = 'server' | 'world' | 'upstream' | 'chain' | 'credentials' | 'limits' | 'client'

/** Reads a value from text, or says what was expected. */
export type Read<Value> = (text: string) => Result<Value, string>

/** What a default may depend on. */
export type Earlier = { readonly host: string }

/** One row of the table. Its flag, its variable and its key in quipu.json are made from its name. */
export type Setting<Value> = {
  readonly group: Group
  readonly about: string
  /** What stands for the value in help: `--port N`. */
  readonly placeholder: string
  readonly read: Read<Value>
  /** What is read when nothing is given; without it the value is then undefined. */
  readonly byDefault?: string | { readonly told: string; readonly from: (earlier: Earlier) => string }
  /** Never shown, and may also be given as the name of a file. */
  readonly secret?: true
  /** What may be shown of a secret; nothing where this is left out. */
  readonly shown?: (text: string) => string
}

type WithDefault<Value> = Setting<Value> & Required<Pick<Setting<Value>, 'byDefault'>>

/** A setting that always has a value. */
export const setting = <Value>(row: WithDefault<Value>): Setting<Value> => row

/** A setting that may be left open. */
export const open = <Value>(row: Omit<Setting<Value>, 'byDefault'>): Setting<Value | undefined> => row

/** `rateLimit` → `--rate-limit` */
export const flagOf = (name: string): string => `--${kebab(name)}`
/** `rateLimit` → `QUIPU_RATE_LIMIT` */
export const variableOf = (name: string): string => `QUIPU_${kebab(name).replaceAll('-', '_').toUpperCase()}`

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** A whole number between two, both included. */
export const whole =
  (min: number, max: number): Read<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? ok(value) : fail(`a whole number from ${min} to ${max}`)
  }

export const word =
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
  return isPlain ? ok(url.href.replace(/\/$/, '')) : fail('an address such as http://127.0.0.1:7878')
}
