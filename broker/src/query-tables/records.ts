import { orderSchema, requestSchema, type Schema } from '@quipu/core'
import { codecOf } from '../binary/codec.ts'
import { BinaryReader } from '../binary/reader.ts'
import { BinaryWriter } from '../binary/writer.ts'

/** Converts values of a schema to the bytes of a row and back. */
export type Records<Value> = {
  readonly write: (value: Value) => Buffer
  readonly read: (bytes: Uint8Array) => Value
  readonly writeAll: (values: Iterable<Value>) => Buffer
  readonly readAll: (bytes: Buffer) => readonly Value[]
}

const writer = new BinaryWriter()
const reader = new BinaryReader()

export function recordsOf<Value>(schema: Schema<Value>): Records<Value> {
  const codec = codecOf(schema)
  return {
    write: (value) => writer.record(codec, value),
    read: ({ buffer, byteOffset, byteLength }) =>
      reader.record(codec, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)),
    writeAll: (values) => writer.records(codec, values),
    readAll: (bytes) => reader.records(codec, bytes),
  }
}

export const orderRecords = recordsOf(orderSchema)
export const requestRecords = recordsOf(requestSchema)
