import type { BinaryReader } from './reader.ts'
import type { BinaryWriter } from './writer.ts'

/** Functions that write and read the values of one schema. */
export type Codec<Value> = {
  readonly write: (writer: BinaryWriter, value: Value) => void
  readonly read: (reader: BinaryReader) => Value
}
/** A codec whose values have an unknown type. */
export type AnyCodec = {
  readonly write: (writer: BinaryWriter, value: never) => void
  readonly read: (reader: BinaryReader) => unknown
}

/** A field of a record. `method` is the method of the writer and the reader, if its type has one. */
export type Field = {
  readonly name: string
  readonly isOptional: boolean
  readonly method?: string | undefined
  readonly codec: AnyCodec
}

/** A field with the same value in every record, which is not stored. */
type Constant = { readonly name: string; readonly value: string }

/** A number has so many exact bits. */
const OPTIONAL_MAX = 52

/**
 * The codec of a record: a bit set of the optional fields that are there, if any are declared, then the fields. The
 * functions are generated from the fields, because an object literal with all fields is several times as fast as
 * setting them one by one. Measured on an accepted order: 2.0 and 1.4 µs, with loops over the fields 3.7 and 2.9 µs.
 */
export function recordCodec(fields: readonly Field[], constant?: Constant): AnyCodec {
  const optional = fields.filter(({ isOptional }) => isOptional)
  if (optional.length > OPTIONAL_MAX) throw new Error(`bug: more than ${OPTIONAL_MAX} optional fields`)
  const write = writeFunction(fields, optional)
  if (optional.length === 0) return { write, read: readFunction(fields, constant) }
  const reads = new Map<number, AnyCodec['read']>()
  const readerOf = (bits: number): AnyCodec['read'] => {
    const there = fields.filter(
      (field) => !field.isOptional || Math.floor(bits / bitOf(optional, field)) % 2 === 1,
    )
    const read = readFunction(there, constant)
    reads.set(bits, read)
    return read
  }
  return {
    write,
    read: (reader) => {
      const bits = reader.varint()
      return (reads.get(bits) ?? readerOf(bits))(reader)
    },
  }
}

const bitOf = (optional: readonly Field[], field: Field): number => 2 ** optional.indexOf(field)

function writeFunction(fields: readonly Field[], optional: readonly Field[]): AnyCodec['write'] {
  const lines = fields.map((field, at) => {
    const value = `value[${JSON.stringify(field.name)}]`
    const call = field.method ? `writer.${field.method}(${value})` : `codecs[${at}].write(writer, ${value})`
    return field.isOptional ? `if (${value} !== undefined) ${call}` : call
  })
  const bits = optional.map(
    (field) => `if (value[${JSON.stringify(field.name)}] !== undefined) bits += ${bitOf(optional, field)}`,
  )
  const head = optional.length > 0 ? ['let bits = 0', ...bits, 'writer.varint(bits)'] : []
  return generated<AnyCodec['write']>(fields, ['writer', 'value'], [...head, ...lines])
}

function readFunction(fields: readonly Field[], constant: Constant | undefined): AnyCodec['read'] {
  const values = fields.map((field, at) => {
    const call = field.method ? `reader.${field.method}()` : `codecs[${at}].read(reader)`
    return `${JSON.stringify(field.name)}: ${call}`
  })
  const first = constant ? [`${JSON.stringify(constant.name)}: ${JSON.stringify(constant.value)}`] : []
  return generated<AnyCodec['read']>(fields, ['reader'], [`return { ${[...first, ...values].join(', ')} }`])
}

/** Only names of our own declarations become code, never values. */
function generated<Made extends (...args: never[]) => unknown>(
  fields: readonly Field[],
  parameters: readonly string[],
  lines: readonly string[],
): Made {
  const make = new Function('codecs', `return (${parameters.join(', ')}) => {\n${lines.join('\n')}\n}`)
  return make(fields.map(({ codec }) => codec)) as Made
}
