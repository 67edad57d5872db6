/**
 * A compact encoding of a list of values, for snapshots with many records: one column per field. A constant column
 * stores its value once, a column with few different texts stores each text once, and 64-bit bigints are stored as
 * binary. Decoded values share texts and bigints, which saves memory.
 */
export type Column =
  | { readonly same: unknown }
  /** Equal to another column, by its number. */
  | { readonly as: number }
  | { readonly integers: string }
  | { readonly few: readonly string[]; readonly at: string }
  | { readonly list: readonly unknown[] }
  /** Values in some rows, undefined in the others. */
  | { readonly rows: string; readonly of: Column }

const FEW_MAX = 255
const INTEGER_MIN = -(2n ** 63n)
const INTEGER_MAX = 2n ** 63n - 1n

/** `before` are the columns that are decoded before this one. */
export function columnOf(values: readonly unknown[], before: readonly (readonly unknown[])[] = []): Column {
  const [first] = values
  if (values.every((value) => value === first) && first !== undefined) return { same: first }
  const as = before.findIndex((other) => values.every((value, row) => value === other[row]))
  if (as >= 0) return { as }
  if (values.includes(undefined)) return sparse(values)
  if (values.every(isInteger)) return { integers: base64(BigInt64Array.from(values)) }
  return (values.every(isText) ? fewOf(values) : undefined) ?? { list: values }
}

export function valuesOf(
  column: Column,
  count: number,
  before: readonly (readonly unknown[])[] = [],
): readonly unknown[] {
  if ('same' in column) return new Array(count).fill(column.same)
  if ('as' in column) return before[column.as]!
  if ('integers' in column) return Array.from(new BigInt64Array(bytesOf(column.integers)))
  if ('few' in column) return Array.from(new Uint8Array(bytesOf(column.at)), (index) => column.few[index])
  if ('list' in column) return column.list
  const values = new Array<unknown>(count).fill(undefined)
  const rows = numbersOf(column.rows)
  const defined = valuesOf(column.of, rows.length)
  rows.forEach((row, index) => {
    values[row] = defined[index]
  })
  return values
}

/** Encodes unsigned 32-bit integers. */
export const textOf = (numbers: readonly number[]): string => base64(Uint32Array.from(numbers))
export const numbersOf = (text: string): Uint32Array => new Uint32Array(bytesOf(text))

const isText = (value: unknown): value is string => typeof value === 'string'
const isInteger = (value: unknown): value is bigint =>
  typeof value === 'bigint' && value >= INTEGER_MIN && value <= INTEGER_MAX

function sparse(values: readonly unknown[]): Column {
  const rows = [...values.keys()].filter((row) => values[row] !== undefined)
  return { rows: textOf(rows), of: columnOf(rows.map((row) => values[row])) }
}

function fewOf(values: readonly string[]): Column | undefined {
  const indexes = new Map<string, number>()
  const at = new Uint8Array(values.length)
  for (const [row, value] of values.entries()) {
    let index = indexes.get(value)
    if (index === undefined) {
      if (indexes.size > FEW_MAX) return undefined
      indexes.set(value, (index = indexes.size))
    }
    at[row] = index
  }
  return { few: [...indexes.keys()], at: base64(at) }
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array | BigInt64Array): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64')
}

/** A separate buffer, so that its start is aligned for numbers of any size. */
function bytesOf(text: string): ArrayBuffer {
  const bytes = Buffer.from(text, 'base64')
  return new Uint8Array(bytes).buffer
}
