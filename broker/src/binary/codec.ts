import type { Description, Fields, RecordSchema, Schema } from '@quipu/core'
import { UnreadableRecord } from './reader.ts'
import { type AnyCodec, type Codec, type Field, recordCodec } from './record-codec.ts'

export type { AnyCodec, Codec } from './record-codec.ts'

/** Types with a method of the same name in `Writer` and `Reader`. */
const simple = {
  text: { write: (writer, value: string) => writer.text(value), read: (reader) => reader.text() },
  id: { write: (writer, value: string) => writer.id(value), read: (reader) => reader.id() },
  hex: { write: (writer, value: string) => writer.hex(value), read: (reader) => reader.hex() },
  amount: { write: (writer, value: bigint) => writer.amount(value), read: (reader) => reader.amount() },
  instant: { write: (writer, value: bigint) => writer.instant(value), read: (reader) => reader.instant() },
  date: { write: (writer, value: string) => writer.date(value), read: (reader) => reader.date() },
  integer: { write: (writer, value: number) => writer.integer(value), read: (reader) => reader.integer() },
  number: { write: (writer, value: number) => writer.number(value), read: (reader) => reader.number() },
  boolean: { write: (writer, value: boolean) => writer.boolean(value), read: (reader) => reader.boolean() },
} as const satisfies Record<string, AnyCodec>

const codecs = new WeakMap<Description, AnyCodec>()

/** The codec of a schema. Codecs are created on first use. */
export function codecOf<Value>(schema: Schema<Value>): Codec<Value> {
  let codec = codecs.get(schema)
  if (!codec) codecs.set(schema, (codec = newCodec(schema)))
  return codec as Codec<Value>
}

function newCodec(schema: Description): AnyCodec {
  switch (schema.type) {
    case 'pattern':
      return patternCodec(schema.patterns)
    case 'oneOf':
      return oneOfCodec(schema.values, schema.other && codecOf(schema.other))
    case 'nullable':
      return oneOfCodec([null], codecOf(schema.of))
    case 'list':
      return listCodec(codecOf(schema.of))
    case 'tuple':
      return tupleCodec(schema.of.map(codecOf))
    case 'map':
      return mapCodec(tupleCodec([codecOf(schema.key), codecOf(schema.value)]))
    case 'record':
      return recordCodec(fieldsOf(schema.fields), schema.constant)
    case 'union':
      return unionCodec(schema.tag, schema.variants)
    case 'text':
    case 'id':
    case 'hex':
    case 'amount':
    case 'instant':
    case 'date':
    case 'integer':
    case 'number':
    case 'boolean':
      return simple[schema.type]
  }
}

/** The index of the value, or the number of values and then another value. */
function oneOfCodec(values: readonly unknown[], other: AnyCodec | undefined): Codec<unknown> {
  const indexes = new Map(values.map((value, index) => [value, index]))
  return {
    write: (writer, value) => {
      const index = indexes.get(value)
      if (index !== undefined) return writer.byte(index)
      if (!other) throw new Error(`bug: ${String(value)} is not one of ${values.join(', ')}`)
      writer.byte(values.length)
      other.write(writer, value as never)
    },
    read: (reader) => {
      const index = reader.byte()
      if (index < values.length) return values[index]
      if (other && index === values.length) return other.read(reader)
      throw new UnreadableRecord(`unknown value ${index} beside ${values.join(', ')}`)
    },
  }
}

function listCodec(of: AnyCodec): Codec<readonly unknown[]> {
  return {
    write: (writer, values) => {
      writer.varint(values.length)
      for (let at = 0; at < values.length; at++) of.write(writer, values[at] as never)
    },
    read: (reader) => {
      const count = reader.count()
      const values: unknown[] = []
      for (let at = 0; at < count; at++) values.push(of.read(reader))
      return values
    },
  }
}

const tupleCodec = (of: readonly AnyCodec[]): Codec<readonly unknown[]> => ({
  write: (writer, values) => {
    for (const [at, codec] of of.entries()) codec.write(writer, values[at] as never)
  },
  read: (reader) => of.map((codec) => codec.read(reader)),
})

function mapCodec(entry: Codec<readonly unknown[]>): Codec<ReadonlyMap<unknown, unknown>> {
  const entries = listCodec(entry)
  return {
    write: (writer, map) => entries.write(writer, [...map]),
    read: (reader) => new Map(entries.read(reader) as readonly [unknown, unknown][]),
  }
}

const fieldsOf = (fields: Fields): readonly Field[] =>
  Object.entries(fields).map(([name, field]) => {
    const isOptional = 'optional' in field
    const schema = isOptional ? field.optional : field
    const method = schema.type in simple ? schema.type : undefined
    return { name, isOptional, method, codec: codecOf(schema) }
  })

type Tagged = Readonly<Record<string, unknown>>

/** The index of the variant, and its record. */
function unionCodec(tag: string, variants: Readonly<Record<string, RecordSchema>>): Codec<Tagged> {
  const names = Object.keys(variants)
  const codecs = Object.values(variants).map((variant) => codecOf(variant))
  return {
    write: (writer, value) => {
      const index = names.indexOf(value[tag] as string)
      if (index < 0) throw new Error(`bug: ${tag} ${String(value[tag])} is not declared`)
      writer.byte(index)
      codecs[index]!.write(writer, value as never)
    },
    read: (reader) => {
      const index = reader.byte()
      const codec = codecs[index]
      if (!codec) throw new UnreadableRecord(`unknown ${tag} ${index}`)
      return codec.read(reader) as Tagged
    },
  }
}

/** Accounts of the ledger repeat, and taking their names apart is slow. */
const KEPT_MAX = 10_000

type CodecParts = { readonly index: number; readonly id?: string }

/** The index of the pattern, and the id in place of `*`. */
export function patternCodec(patterns: readonly string[]): Codec<string> {
  const affixes = patterns.map((each) => each.split('*') as [string, string?])
  const parts = new Map<string, CodecParts>()
  const texts = patterns.map(() => new Map<string, string>())
  return {
    write: (writer, text) => {
      const { index, id } = kept(parts, text, () => partsOf(affixes, text))
      writer.byte(index)
      if (id !== undefined) writer.id(id)
    },
    read: (reader) => {
      const index = reader.byte()
      const [prefix, suffix] = affixes[index] ?? unknown(index)
      if (suffix === undefined) return prefix
      const id = reader.id()
      return kept(texts[index]!, id, () => prefix + id + suffix)
    },
  }
}

function partsOf(affixes: readonly [string, string?][], text: string): CodecParts {
  for (const [index, [prefix, suffix]] of affixes.entries()) {
    if (suffix === undefined && text === prefix) return { index }
    if (suffix !== undefined && text.startsWith(prefix) && text.endsWith(suffix))
      return { index, id: text.slice(prefix.length, text.length - suffix.length) }
  }
  throw new Error(`bug: ${text} has none of the declared forms`)
}

function kept<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value {
  let value = cache.get(key)
  if (value === undefined) {
    if (cache.size >= KEPT_MAX) cache.clear()
    cache.set(key, (value = make()))
  }
  return value
}

function unknown(index: number): never {
  throw new UnreadableRecord(`unknown pattern ${index}`)
}
