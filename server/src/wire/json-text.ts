/** A JSON string. Most texts need no escapes, so they skip JSON.stringify. */
export function quoted(text: string): string {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x22 || code === 0x5c || code > 0x7e) return JSON.stringify(text)
  }
  return `"${text}"`
}

/** Copies a concatenated string into one piece; otherwise V8 walks its parts at each later use. */
export const flat = (text: string): string => Buffer.from(text).toString()

/** Caches the text of the last value. */
export function cacheLast<Value>(write: (value: Value) => string): (value: Value) => string {
  let last: Value | undefined
  let text: string | undefined
  return (value) => {
    if (text === undefined || value !== last) {
      text = write(value)
      last = value
    }
    return text
  }
}

/** A field of a JSON record: its value in `Source`, and how the value is written. Without a value the field is null. */
export type TextField<Source> = {
  readonly source: (from: Source) => unknown
  readonly write: (value: never) => string | boolean
  /** Many records share the value, or each has its own: a token such as an id or a time, or a text that needs escapes. */
  readonly text: 'shared' | 'token' | 'escaped'
}

type Row<Source> = TextField<Source> & { readonly key: string }
type Writer<Source> = (from: Source) => string

/**
 * The function that writes a record as JSON text, without the closing brace. Neighbouring shared fields are one text.
 * The parts are generated from the fields, so that V8 compiles the calls of each field apart. Measured on orders:
 * 2.1 µs; 2.7 µs with loops over the fields, 4.6 µs if each field keeps only the text of its last value.
 */
export function recordText<Source>(fields: Readonly<Record<string, TextField<Source>>>): Writer<Source> {
  const parts: Row<Source>[][] = []
  for (const [name, field] of Object.entries(fields)) {
    const row = { ...field, key: `${parts.length === 0 ? '{' : ','}"${name}":` }
    const before = parts.at(-1)
    if (field.text === 'shared' && before?.[0]?.text === 'shared') before.push(row)
    else parts.push([row])
  }
  const names = parts.map((_, at) => `part${at}`)
  const calls = names.map((name) => `${name}(from)`)
  return generated(names, `(from) => ${calls.join(' + ')}`)(...parts.map(writerOf))
}

const writerOf = <Source>(rows: readonly Row<Source>[]): Writer<Source> =>
  rows[0]?.text === 'shared' ? sharedText(rows) : ownText(rows[0]!)

function ownText<Source>({ key, source, write, text }: Row<Source>): Writer<Source> {
  const json = text === 'token' ? `'${key}"' + write(value) + '"'` : `'${key}' + quoted(write(value))`
  const make = generated(
    ['source', 'write', 'quoted'],
    `(from) => {
      const value = source(from)
      return value === undefined ? '${key}null' : ${json}
    }`,
  )
  return make(source, write, quoted)
}

/** At most this many combinations of neighbouring field values are kept. */
const KEPT_MAX = 16

/** Writes neighbouring fields as one text, and keeps the texts of the last combinations of their values. */
function sharedText<Source>(rows: readonly Row<Source>[]): Writer<Source> {
  const kept: (readonly unknown[])[] = []
  let oldest = 0
  const keep = (values: readonly unknown[]): string => {
    const text = flat(rows.map((row, at) => row.key + jsonOf(row, values[at])).join(''))
    kept[oldest] = [...values, text]
    oldest = (oldest + 1) % KEPT_MAX
    return text
  }
  const names = rows.map((_, at) => `value${at}`)
  const make = generated(
    ['kept', 'keep', ...rows.map((_, at) => `source${at}`)],
    `(from) => {
      const ${names.map((name, at) => `${name} = source${at}(from)`).join(', ')}
      for (let at = 0; at < kept.length; at++) {
        const one = kept[at]
        if (${names.map((name, at) => `one[${at}] === ${name}`).join(' && ')}) return one[${names.length}]
      }
      return keep([${names.join(', ')}])
    }`,
  )
  return make(kept, keep, ...rows.map(({ source }) => source))
}

function jsonOf<Source>({ write }: Row<Source>, value: unknown): string {
  const written = value === undefined ? null : write(value as never)
  return typeof written === 'string' ? quoted(written) : String(written)
}

/** Only names of our own declarations become code, never values. */
const generated = (parameters: readonly string[], code: string) =>
  new Function(...parameters, `return ${code}`)
